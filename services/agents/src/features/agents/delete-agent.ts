import { agentDeleted, type agentRows } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { liveStatuses } from '../executions/execution.ts';
import { lockAgent } from './agent.ts';

export const deleteAgent: Handler<typeof agentRows.deleteAgent> = async ({ params: { id }, tx, emit, ifMatch }) => {
  // In the order of the job of a schedule, which locks the schedule first.
  await tx.sql`SELECT id FROM agent_schedule WHERE agent_id = ${id} ORDER BY id FOR UPDATE`;
  const agent = await lockAgent(tx, id);
  ifMatch(agent);
  const live = await tx.execution.findFirst({ where: { agentId: id, status: { in: liveStatuses } } });
  if (live) throw fail('has_running_work');
  await tx.agentSchedule.deleteMany({ where: { agentId: id } });
  await tx.agent.updateMany({ where: { id }, data: { deletedAt: new Date(), version: { increment: 1 } } });
  emit(agentDeleted, { data: { agentId: id }, record: agent });
  return { id, deleted: true };
};
