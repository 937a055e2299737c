import { type agentSchedules, scheduleDeleted } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asSchedule, lockSchedule } from './schedule.ts';

export const deleteAgentSchedule: Handler<typeof agentSchedules.deleteAgentSchedule> = async ({
  params: { id },
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const row = await lockSchedule(tx, caller, id);
  ifMatch(row);
  await tx.agentSchedule.deleteMany({ where: { id } });
  emit(scheduleDeleted, { data: { agentScheduleId: id, agentId: row.agentId }, record: asSchedule(row) });
  return { id, deleted: true };
};
