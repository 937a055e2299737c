import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { escalationLevelMax, Task, TaskPriority, TaskTitle, TaskType, taskUpdated } from './task.ts';

export const EscalationAction = z
  .enum(['notify', 'reassign'])
  .describe('Whether the target is notified only, or the task is also assigned to the target');
const Level = z
  .int()
  .meta({ description: `The level after the escalation, from 1 to ${escalationLevelMax}`, examples: [1] });

export const Escalation = z.object({
  taskId: id('task').describe('The task that was escalated'),
  level: Level,
  action: EscalationAction,
  toUserId: id('user').describe('The user to whom the task was escalated'),
  ruleId: id('escalation_rule').nullable().describe('The rule that escalated the task; null for a request'),
  reason: text(500)
    .nullable()
    .meta({ description: 'The reason that the request gave', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who escalated the task; null for a rule'),
  createdAt: timestamp(),
});

export const taskEscalated = event('task.escalated', {
  description: 'A task is escalated, by a request or by a rule',
  action: 'task.escalate',
  target: 'task',
  data: z.object({
    taskId: id('task'),
    title: TaskTitle,
    level: Level,
    action: EscalationAction,
    toUserId: id('user'),
    ruleId: id('escalation_rule').nullable(),
    reason: text(500).nullable(),
  }),
  record: Task,
});

const Match = z.object({
  type: TaskType.nullish(),
  priority: TaskPriority.nullish(),
  teamId: id('team').nullish().describe('The team of the tasks'),
});

export const EscalationTarget = z.enum(['team_lead', 'user']).describe('The lead of the team of the task, or one user');

const Target = z.object({
  type: EscalationTarget,
  userId: id('user').nullish().describe('The user; required if and only if `type` is `user`'),
});

export const EscalationRule = z.object({
  id: id('escalation_rule'),
  tenantId: id('tenant'),
  name: name(100).meta({ examples: ['Urgent calls'] }),
  match: Match.describe('The tasks to which the rule applies; absent fields match every task').meta({
    examples: [{ type: 'call', priority: 'urgent', teamId: null }],
  }),
  overdueMinutes: z
    .int('Must be a whole number')
    .min(0, 'Must be at least 0')
    .max(525_600, 'Must be at most 525600')
    .meta({ description: 'The minutes after the due time of a task', examples: [60] }),
  action: EscalationAction,
  target: Target.meta({
    description: 'The user to whom tasks are escalated',
    examples: [{ type: 'team_lead', userId: null }],
  }),
  workingHoursOnly: z
    .boolean()
    .describe('Whether the rule waits for the working hours of the target; tasks are escalated when these begin'),
  active: z.boolean().describe('Whether the rule is applied'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const ruleEvent = {
  target: 'escalation_rule',
  data: z.object({ ruleId: id('escalation_rule') }),
  record: EscalationRule,
} as const;

export const escalationRuleCreated = event('escalation_rule.created', {
  ...ruleEvent,
  description: 'An escalation rule is created',
  action: 'escalation_rule.create',
});
export const escalationRuleUpdated = event('escalation_rule.updated', {
  ...ruleEvent,
  data: ruleEvent.data.extend({
    reason: text(500).nullish().describe('Why the rule changed, if the user whom it escalates to has left'),
  }),
  description: 'An escalation rule is updated',
  action: 'escalation_rule.update',
});
export const escalationRuleDeleted = event('escalation_rule.deleted', {
  ...ruleEvent,
  description: 'An escalation rule is deleted',
  action: 'escalation_rule.delete',
});

/** The highest number of escalation rules of a tenant: each is applied every minute. */
export const escalationRulesMax = 50;

const withRule = z.object({ id: id('escalation_rule') });
const ruleFields = EscalationRule.pick({ name: true, match: true, overdueMinutes: true, action: true, target: true });

export const escalations = operations({
  escalateTask: {
    method: 'POST',
    path: '/v1/tasks/:id/escalate',
    permission: 'tasks:write',
    narrows: true,
    summary: 'Escalate a task',
    description:
      'Raises the level of the task and notifies the user to whom it is escalated, by default the lead of its team. The assignee stays; POST /v1/tasks/:id/assign changes it.',
    params: z.object({ id: id('task') }),
    body: z.object({
      toUserId: id('user').nullish().describe('The user to notify; by default the lead of the team of the task'),
      reason: text(500)
        .nullish()
        .meta({ description: 'Why the task is escalated', examples: ['The customer has called twice'] }),
    }),
    reply: Task,
    message: 'Task escalated',
    emits: [taskUpdated, taskEscalated],
    errors: {
      task_closed: [409, 'The task is completed or cancelled; reopen it first'],
      fully_escalated: [409, `The task was escalated to the highest level, ${escalationLevelMax}`],
    },
  },
  listTaskEscalations: {
    method: 'GET',
    path: '/v1/tasks/:id/escalations',
    permission: 'tasks:read',
    narrows: true,
    summary: 'List the escalations of a task',
    description: `At most ${escalationLevelMax}, by level.`,
    params: z.object({ id: id('task') }),
    reply: z.array(Escalation),
    message: 'Escalations retrieved',
  },
  createEscalationRule: {
    method: 'POST',
    path: '/v1/tasks/escalation-rules',
    permission: 'config:write',
    summary: 'Create an escalation rule',
    description:
      'A rule escalates each matching task once for each due time, by one level, when it has been overdue for `overdueMinutes`. Use several rules with rising `overdueMinutes` to reach higher levels.',
    body: ruleFields.extend({
      match: Match.default({}),
      action: EscalationAction.default('notify'),
      target: Target.default({ type: 'team_lead' }),
      workingHoursOnly: z.boolean().default(false),
      active: z.boolean().default(true),
    }),
    reply: EscalationRule,
    status: 201,
    message: 'Escalation rule created',
    emits: [escalationRuleCreated],
    errors: {
      too_many_rules: [409, `There can be at most ${escalationRulesMax} escalation rules; delete one first`],
    },
  },
  listEscalationRules: {
    method: 'GET',
    path: '/v1/tasks/escalation-rules',
    permission: 'config:read',
    summary: 'List escalation rules',
    query: listQuery(['createdAt', 'name']).omit({ search: true }),
    reply: page(EscalationRule),
    message: 'Escalation rules retrieved',
  },
  getEscalationRule: {
    method: 'GET',
    path: '/v1/tasks/escalation-rules/:id',
    permission: 'config:read',
    summary: 'Retrieve an escalation rule',
    params: withRule,
    reply: EscalationRule,
    message: 'Escalation rule retrieved',
  },
  updateEscalationRule: {
    method: 'PATCH',
    path: '/v1/tasks/escalation-rules/:id',
    permission: 'config:write',
    summary: 'Update an escalation rule',
    description: '`match` and `target` are replaced as a whole.',
    params: withRule,
    body: ruleFields.extend({ workingHoursOnly: z.boolean(), active: z.boolean() }).partial(),
    reply: EscalationRule,
    message: 'Escalation rule updated',
    emits: [escalationRuleUpdated],
  },
  deleteEscalationRule: {
    method: 'DELETE',
    path: '/v1/tasks/escalation-rules/:id',
    permission: 'config:delete',
    summary: 'Delete an escalation rule',
    params: withRule,
    reply: z.object({ id: id('escalation_rule'), deleted: z.literal(true).describe('Always true') }),
    message: 'Escalation rule deleted',
    emits: [escalationRuleDeleted],
  },
});
