import { agentCreated, type agentRows, agentsMax } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { checkScript } from '../calls/check-script.ts';
import { asAgent, checkModel } from './agent.ts';
import { defaultConfig, defaultLimits } from './defaults.ts';

export const createAgent =
  (tools: Pick<Tools, 'models'>): Handler<typeof agentRows.createAgent> =>
  async ({ body, tx, emit }) => {
    checkModel(tools, body.config?.model);
    if (body.kind === 'caller') checkScript('config.script', body.config?.script);
    // The lock keeps two requests from passing the maximum together.
    await lockNamed(tx, 'agents');
    if ((await tx.agent.count({ where: { deletedAt: null } })) >= agentsMax) throw fail('too_many_agents');
    const { name, kind, description = null, approvalPolicy, config, limits } = body;
    const row = await tx.agent.create({
      data: {
        ...{ name, kind, description, approvalPolicy },
        config: { ...defaultConfig, ...config },
        limits: { ...defaultLimits, ...limits },
      },
    });
    const record = asAgent(row);
    emit(agentCreated, { data: { agentId: row.id }, record });
    return record;
  };
