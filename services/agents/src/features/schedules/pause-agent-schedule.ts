import { type agentSchedules, scheduleUpdated } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asSchedule, checkTransition, lockSchedule, writeSchedule } from './schedule.ts';

export const pauseAgentSchedule: Handler<typeof agentSchedules.pauseAgentSchedule> = async ({
  params,
  caller,
  ifMatch,
  ...context
}) => {
  const row = await lockSchedule(context.tx, caller, params.id);
  ifMatch(row);
  checkTransition(asSchedule(row), 'paused');
  const record = asSchedule(await writeSchedule(context, row, { status: 'paused', nextRunAt: null }));
  const changes = { status: { from: row.status, to: record.status } };
  context.emit(scheduleUpdated, { data: { agentScheduleId: row.id, agentId: row.agentId }, record, changes });
  return record;
};
