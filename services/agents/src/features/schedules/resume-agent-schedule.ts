import { type agentSchedules, scheduleUpdated } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import { Prisma } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { asSchedule, checkTransition, lockSchedule, nextRun, timetableOf, writeSchedule } from './schedule.ts';

export const resumeAgentSchedule: Handler<typeof agentSchedules.resumeAgentSchedule> = async ({
  params,
  caller,
  ifMatch,
  ...context
}) => {
  const row = await lockSchedule(context.tx, caller, params.id);
  ifMatch(row);
  checkTransition(asSchedule(row), 'active');
  const next = nextRun(timetableOf(row), new Date());
  if (!next.nextRunAt) throw fail('no_time_left');
  const record = asSchedule(await writeSchedule(context, row, { ...next, lastError: Prisma.DbNull }));
  const changes = { status: { from: row.status, to: record.status } };
  context.emit(scheduleUpdated, { data: { agentScheduleId: row.id, agentId: row.agentId }, record, changes });
  return record;
};
