import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import {
  Escalation,
  EscalationRule,
  escalationLevelMax,
  taskAssigned,
  taskEscalated,
  taskUpdated,
} from '@tandem/crm-contract';
import { type Assignee, asService, diff, fail, teamOfAssignee } from '@tandem/service';
import type { z } from 'zod';
import type { EscalationRule as RuleRow, TaskEscalation } from '../../generated/client.ts';
import type { Peers } from '../../handler.ts';
import { type TaskRecord, type TaskWork, writeTask } from './task.ts';

export type RuleRecord = z.output<typeof EscalationRule> & Pick<RuleRow, 'round' | 'escalatedTo' | 'searchedAt'>;

const actionColumn = Escalation.pick({ action: true });
const ruleColumns = EscalationRule.pick({ action: true });
const matchColumns = EscalationRule.shape.match.pick({ type: true, priority: true });

/** Converts a row to the contract's `Escalation`. */
export function asEscalation(row: TaskEscalation): z.output<typeof Escalation> {
  return { ...row, ...actionColumn.parse(row) };
}

/** Converts a row to the contract's `EscalationRule`. */
export function asRule(row: RuleRow): RuleRecord {
  const { teamId, targetUserId } = row;
  return {
    ...row,
    ...ruleColumns.parse(row),
    match: { ...matchColumns.parse(row), teamId },
    target: { type: targetUserId === null ? 'team_lead' : 'user', userId: targetUserId },
  };
}

/** The lead of a team; undefined for a team without one. */
export async function leadOfTeam(
  { identity }: Pick<Peers, 'identity'>,
  teamId: number | null | undefined,
  as: Parameters<Peers['identity']['findTeam']>[0]['as'],
): Promise<number | undefined> {
  if (teamId === null || teamId === undefined) return undefined;
  const team = await orAbsent(identity.findTeam({ params: { id: teamId }, as }));
  return team?.leadId ?? undefined;
}

/** The same for the caller of an operation. */
export const leadOfTeamFor = (peers: Pick<Peers, 'identity'>, teamId: number | null | undefined, caller: Caller) =>
  leadOfTeam(peers, teamId, asService(caller));

/** An escalation of a task: to whom, and for which reason. */
interface EscalationInput {
  to: Assignee;
  action: z.output<typeof Escalation>['action'];
  rule?: { id: number; dueAt: Date };
  reason: string | null;
}

/** Raises the level of a locked, open task, with its events. */
export async function escalate(
  { tx, emit, userId }: Omit<TaskWork, 'schedule'>,
  task: TaskRecord,
  { to, action, rule, reason }: EscalationInput,
): Promise<TaskRecord> {
  const level = task.escalationLevel + 1;
  if (level > escalationLevelMax) throw fail('fully_escalated');
  const ruleId = rule?.id ?? null;
  await tx.taskEscalation.create({
    data: {
      taskId: task.id,
      level,
      action,
      toUserId: to.id,
      ruleId,
      dueAt: rule?.dueAt ?? null,
      reason,
      createdBy: userId,
    },
  });
  const isReassigned = action === 'reassign' && to.id !== task.assignedTo;
  const reassigned = isReassigned && { assignedTo: to.id, teamId: teamOfAssignee(to.teamIds, task.teamId) };
  const { values, audit } = diff(task, { escalationLevel: level, ...reassigned });
  const updated = await writeTask(tx, task.id, values);
  const taskId = task.id;
  emit(taskUpdated, { data: { taskId, fields: Object.keys(values) }, record: updated, changes: audit });
  emit(taskEscalated, {
    data: { taskId, title: task.title, level, action, toUserId: to.id, ruleId, reason },
    record: updated,
  });
  if (isReassigned)
    emit(taskAssigned, { data: { taskId, from: task.assignedTo, to: to.id, note: null }, record: updated });
  return updated;
}
