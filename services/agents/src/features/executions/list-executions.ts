import type { executions } from '@tandem/agents-contract';
import type { List } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { asExecution } from './execution.ts';

export const listExecutions = (tools: Tools): Handler<typeof executions.listExecutions, number[] | undefined> => ({
  check: ({ query: { leadId }, caller, tx }) =>
    readableLeadsOf(tools, { caller, tx, table: fragment`execution`, leadId }),
  run: ({ query, found: readable, ...context }) => executionsPage(context, query, readable),
});

/**
 * A page of executions.
 * @param readable the leads to which the list is limited; undefined without a limit
 */
export async function executionsPage(
  { tx, list }: { tx: Tx; list: List },
  query: z.output<typeof executions.listExecutions.query>,
  readable: number[] | undefined,
) {
  const { agentId, leadId, status, trigger, bulkRunId } = query;
  const page = await list({
    model: tx.execution,
    where: {
      ...(agentId !== undefined && { agentId }),
      ...(leadId !== undefined && { leadId }),
      ...(status && { status }),
      ...(trigger && { trigger }),
      ...(bulkRunId !== undefined && { bulkRunId }),
    },
    and: readable ? [{ leadId: { in: readable } }] : [],
  });
  return { ...page, items: page.items.map(asExecution) };
}
