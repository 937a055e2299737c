import { type agentRows, agentUpdated } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { checkTransition, lockAgent, writeAgent } from './agent.ts';

export const resumeAgent: Handler<typeof agentRows.resumeAgent> = async ({ params, tx, emit, ifMatch }) => {
  const agent = await lockAgent(tx, params.id);
  ifMatch(agent);
  checkTransition(agent, 'active');
  const updated = await writeAgent(tx, agent.id, { status: 'active' });
  const changes = { status: { from: agent.status, to: updated.status } };
  emit(agentUpdated, { data: { agentId: agent.id }, record: updated, changes });
  return updated;
};
