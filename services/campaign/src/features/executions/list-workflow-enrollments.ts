import type { executions } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { checkWorkflow } from '../workflows/workflow.ts';
import { asExecution } from './execution.ts';

/** The leads that are in the workflow now. */
export const listWorkflowEnrollments: Handler<typeof executions.listWorkflowEnrollments> = async ({
  params,
  query,
  tx,
  list,
}) => {
  await checkWorkflow(tx, params.id);
  const { leadId } = query;
  const where = {
    workflowId: params.id,
    status: { in: ['running', 'waiting'] },
    ...(leadId !== undefined && { leadId }),
  };
  const page = await list({ model: tx.execution, where });
  return { ...page, items: page.items.map(asExecution) };
};
