import { AgentConfig, AgentLimits, type agentRows, agentUpdated } from '@tandem/agents-contract';
import { diff } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkScript } from '../calls/check-script.ts';
import { checkModel, checkTransition, lockAgent, writeAgent } from './agent.ts';

export const updateAgent =
  (tools: Pick<Tools, 'models'>): Handler<typeof agentRows.updateAgent> =>
  async ({ params, body, tx, emit, ifMatch }) => {
    checkModel(tools, body.config?.model);
    const agent = await lockAgent(tx, params.id);
    ifMatch(agent);
    if (agent.kind === 'caller') checkScript('config.script', body.config?.script);
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
