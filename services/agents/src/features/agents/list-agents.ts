import type { agentRows } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asAgent } from './agent.ts';

export const listAgents: Handler<typeof agentRows.listAgents> = async ({ query: { kind, status }, tx, list }) => {
  const where = { deletedAt: null, ...(kind && { kind }), ...(status && { status }) };
  const page = await list({ model: tx.agent, where, searchIn: ['name'] });
  return { ...page, items: page.items.map(asAgent) };
};
