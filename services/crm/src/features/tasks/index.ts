import type {
  escalations,
  internalTaskCounts,
  recurrences,
  reminders,
  subtasks,
  tasks,
  taskWork,
} from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { assignTask } from './assign-task.ts';
import { bulkAssignTasks } from './bulk-assign-tasks.ts';
import { bulkCompleteTasks } from './bulk-complete-tasks.ts';
import { bulkDeleteTasks } from './bulk-delete-tasks.ts';
import { bulkUpdateTasks } from './bulk-update-tasks.ts';
import { cancelTask } from './cancel-task.ts';
import { completeSubtask } from './complete-subtask.ts';
import { completeTask } from './complete-task.ts';
import { countDueTasks } from './count-due-tasks.ts';
import { createEscalationRule } from './create-escalation-rule.ts';
import { createSubtask } from './create-subtask.ts';
import { createTask } from './create-task.ts';
import { createTaskReminder } from './create-task-reminder.ts';
import { deleteEscalationRule } from './delete-escalation-rule.ts';
import { deleteSubtask } from './delete-subtask.ts';
import { deleteTask } from './delete-task.ts';
import { deleteTaskRecurrence } from './delete-task-recurrence.ts';
import { deleteTaskReminder } from './delete-task-reminder.ts';
import { escalateTask } from './escalate-task.ts';
import { getEscalationRule } from './get-escalation-rule.ts';
import { getSubtask } from './get-subtask.ts';
import { getTask } from './get-task.ts';
import { listEscalationRules } from './list-escalation-rules.ts';
import { listSubtasks } from './list-subtasks.ts';
import { listTaskEscalations } from './list-task-escalations.ts';
import { listTaskReminders } from './list-task-reminders.ts';
import { listTasks } from './list-tasks.ts';
import { reopenSubtask } from './reopen-subtask.ts';
import { reopenTask } from './reopen-task.ts';
import { restoreTask } from './restore-task.ts';
import { setTaskRecurrence } from './set-task-recurrence.ts';
import { startTask } from './start-task.ts';
import { updateEscalationRule } from './update-escalation-rule.ts';
import { updateSubtask } from './update-subtask.ts';
import { updateTask } from './update-task.ts';

/** The changes of many tasks at once, each as the operation on a single task makes it. */
export const taskBulk = (peers: Peers) => ({
  bulkUpdateTasks: bulkUpdateTasks(peers),
  bulkAssignTasks: bulkAssignTasks(peers),
  bulkCompleteTasks,
  bulkDeleteTasks,
});

export const taskHandlers = (peers: Peers) =>
  ({
    createTask: createTask(peers),
    listTasks,
    getTask,
    updateTask: updateTask(peers),
    deleteTask,
    restoreTask,
    startTask,
    completeTask,
    reopenTask,
    cancelTask,
    assignTask: assignTask(peers),
    createSubtask: createSubtask(peers),
    listSubtasks,
    getSubtask,
    updateSubtask: updateSubtask(peers),
    deleteSubtask,
    completeSubtask,
    reopenSubtask,
    createTaskReminder,
    listTaskReminders,
    deleteTaskReminder,
    setTaskRecurrence,
    deleteTaskRecurrence,
    escalateTask: escalateTask(peers),
    listTaskEscalations,
    createEscalationRule: createEscalationRule(peers),
    listEscalationRules,
    getEscalationRule,
    updateEscalationRule: updateEscalationRule(peers),
    deleteEscalationRule,
    countDueTasks,
  }) satisfies Handlers<
    typeof tasks &
      typeof taskWork &
      typeof subtasks &
      typeof reminders &
      typeof recurrences &
      typeof escalations &
      typeof internalTaskCounts,
    Tx
  >;
