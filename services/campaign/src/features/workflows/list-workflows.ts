import type { workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asWorkflow } from './workflow.ts';

// Lists leave out nodes and edges: those of a hundred workflows may have a hundred megabytes.
const select = {
  id: true,
  tenantId: true,
  campaignId: true,
  name: true,
  description: true,
  status: true,
  createdBy: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

export const listWorkflows: Handler<typeof workflows.listWorkflows> = async ({ query, tx, list }) => {
  const { status, campaignId } = query;
  const page = await list({
    model: tx.workflow,
    select,
    where: { ...(status && { status }), ...(campaignId !== undefined && { campaignId }) },
    searchIn: ['name', 'description'],
  });
  return { ...page, items: page.items.map(asWorkflow) };
};
