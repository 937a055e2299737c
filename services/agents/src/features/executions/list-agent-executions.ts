import type { executions } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { executionsPage } from './list-executions.ts';

export const listAgentExecutions = (
  tools: Tools,
): Handler<typeof executions.listAgentExecutions, number[] | undefined> => ({
  async check({ params, query: { leadId }, caller, tx }) {
    if (!(await tx.agent.count({ where: { id: params.id } }))) throw fail('not_found');
    return readableLeadsOf(tools, { caller, tx, table: fragment`execution`, leadId });
  },
  run: ({ params, query, found: readable, ...context }) =>
    executionsPage(context, { ...query, agentId: params.id }, readable),
});
