import { AgentConfig, AgentLimits, type agentRows, agentUpdated } from '@tandem/agents-contract';
import { diff } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkTransition, lockAgent, writeAgent } from './agent.ts';

export const updateAgent: Handler<typeof agentRows.updateAgent> = async ({ params, body, tx, emit, ifMatch }) => {
  const agent = await lockAgent(tx, params.id);
  ifMatch(agent);
  if (body.status && body.status !== agent.status) checkTransition(agent, body.status);
  const { config, limits, ...fields } = body;
  const { isEmpty, values, audit } = diff(agent, {
    ...fields,
    ...(config && { config: AgentConfig.parse({ ...agent.config, ...config }) }),
    ...(limits && { limits: AgentLimits.parse({ ...agent.limits, ...limits }) }),
  });
  if (isEmpty) return agent;
  const updated = await writeAgent(tx, agent.id, values);
  emit(agentUpdated, { data: { agentId: agent.id }, record: updated, changes: audit });
  return updated;
};
