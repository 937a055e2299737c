import { AgentSchedule, scheduleStates, type scheduleUpdated } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { id, timestamp } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { fail, reachOf, storedObject, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { AgentSchedule as ScheduleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type Interval, nextTime, nextTimes, type Timetable } from './times.ts';

export type ScheduleRecord = z.output<typeof AgentSchedule>;

const payload = z.object({ agentScheduleId: id('agent_schedule'), scheduledFor: timestamp() });
/** Job that starts the run of a schedule at one of its times. */
export const scheduledRunJob = { name: 'start-scheduled-run', payload };

const columns = AgentSchedule.pick({ status: true, misfire: true, lastError: true }).extend({
  input: storedObject.nullable(),
  filter: AgentSchedule.shape.target.shape.filter,
});

/** Converts a row to the contract's `AgentSchedule`. */
export function asSchedule(row: ScheduleRow): ScheduleRecord {
  const { leadIds, filter: _, intervalValue, intervalUnit, afterLeadId, ...rest } = row;
  const { filter, ...checked } = columns.parse(row);
  return {
    ...rest,
    ...checked,
    every: intervalOf(row),
    target: { leadIds: filter ? null : leadIds, filter },
    nextRuns: checked.status === 'active' ? nextTimes(timetableOf(row), new Date()) : [],
    allowedTransitions: scheduleStates.next(checked.status),
  };
}

function intervalOf({ intervalValue, intervalUnit }: ScheduleRow): Interval | null {
  if (intervalValue === null) return null;
  return { value: intervalValue, unit: intervalUnit as Interval['unit'] };
}

/** The times of a row. */
export function timetableOf(row: ScheduleRow): Timetable {
  const { cron, timezone, startsAt, endsAt } = row;
  return { cron, every: intervalOf(row), timezone, startsAt, endsAt };
}

/** The columns of a timetable, with its next time after an instant; a schedule without one has ended. */
export function nextRun(timetable: Timetable, after: Date) {
  const nextRunAt = nextTime(timetable, after) ?? null;
  return { nextRunAt, status: nextRunAt ? 'active' : 'ended' };
}

// No user has this id.
const nobody = 0;

/**
 * The schedules that a caller may see: their own, unless they may read all leads. A key that reads fewer leads than its user
 * sees none, because they run with the permissions of the user.
 */
export function visibleTo(caller: Caller) {
  if (reachOf(caller, 'leads:read') === 'all') return {};
  return { createdBy: caller.type === 'key' ? nobody : (actingUserId(caller) ?? nobody) };
}

/** Finds a schedule that the caller may see. */
export async function findSchedule(tx: Tx, caller: Caller, id: number): Promise<ScheduleRow> {
  const row = await tx.agentSchedule.findFirst({ where: { id, ...visibleTo(caller) } });
  if (!row) throw fail('not_found');
  return row;
}

/** The same, locked until the end of the transaction. */
export async function lockSchedule(tx: Tx, caller: Caller, id: number): Promise<ScheduleRow> {
  const row = await tx.agentSchedule.lockFirst({ where: { id, ...visibleTo(caller) } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails unless the transition is allowed. */
export function checkTransition({ status, allowedTransitions }: ScheduleRecord, to: ScheduleRecord['status']): void {
  if (!allowedTransitions.includes(to)) throw fail('wrong_status', [transitionError(status, allowedTransitions)]);
}

interface Changing {
  tx: Tx;
  emit: Emit<typeof scheduleUpdated>;
  schedule: Schedule;
}

/** Writes changes to a locked schedule as its next version, and waits for its next time. */
export async function writeSchedule(
  { tx, schedule }: Pick<Changing, 'tx' | 'schedule'>,
  { id: scheduleId, nextRunAt }: ScheduleRow,
  data: Parameters<Tx['agentSchedule']['updateManyAndReturn']>[0]['data'],
): Promise<ScheduleRow> {
  const [row] = await tx.agentSchedule.updateManyAndReturn({
    where: { id: scheduleId },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  if (row.nextRunAt?.getTime() !== nextRunAt?.getTime()) await awaitNextRun(schedule, row);
  return row;
}

/** Schedules the job for the next time. Jobs for times that a schedule had before find that it has another one. */
export async function awaitNextRun(schedule: Schedule, { id: agentScheduleId, nextRunAt }: ScheduleRow): Promise<void> {
  if (nextRunAt) await schedule(scheduledRunJob, [{ agentScheduleId, scheduledFor: nextRunAt }], nextRunAt);
}
