import type { agentRows } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asAgent } from './agent.ts';

export const getAgent: Handler<typeof agentRows.getAgent> = async ({ params, tx }) => {
  const row = await tx.agent.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return asAgent(row);
};
