import type { executions } from '@tandem/agents-contract';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { asExecution } from './execution.ts';

export const listExecutions = (tools: Tools): Handler<typeof executions.listExecutions, number[] | undefined> => ({
  check: ({ query: { leadId }, caller, tx }) =>
    readableLeadsOf(tools, { caller, tx, table: fragment`execution`, leadId }),
  async run({ query, tx, list, found: readable }) {
    const { agentId, leadId, status, bulkRunId } = query;
    const page = await list({
      model: tx.execution,
      where: {
        ...(agentId !== undefined && { agentId }),
        ...(leadId !== undefined && { leadId }),
        ...(status && { status }),
        ...(bulkRunId !== undefined && { bulkRunId }),
      },
      and: readable ? [{ leadId: { in: readable } }] : [],
    });
    return { ...page, items: page.items.map(asExecution) };
  },
});
