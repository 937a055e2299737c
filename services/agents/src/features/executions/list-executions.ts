import type { executions } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asExecution } from './execution.ts';

export const listExecutions: Handler<typeof executions.listExecutions> = async ({ query, tx, list }) => {
  const { agentId, leadId, status, bulkRunId } = query;
  const where = {
    ...(agentId !== undefined && { agentId }),
    ...(leadId !== undefined && { leadId }),
    ...(status && { status }),
    ...(bulkRunId !== undefined && { bulkRunId }),
  };
  const page = await list({ model: tx.execution, where });
  return { ...page, items: page.items.map(asExecution) };
};
