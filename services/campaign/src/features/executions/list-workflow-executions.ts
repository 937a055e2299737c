import type { executions } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { checkWorkflow } from '../workflows/workflow.ts';
import { asExecution } from './execution.ts';

export const listWorkflowExecutions: Handler<typeof executions.listWorkflowExecutions> = async ({
  params,
  query,
  tx,
  list,
}) => {
  await checkWorkflow(tx, params.id);
  const { status, leadId } = query;
  const where = { workflowId: params.id, ...(status && { status }), ...(leadId !== undefined && { leadId }) };
  const page = await list({ model: tx.execution, where });
  return { ...page, items: page.items.map(asExecution) };
};
