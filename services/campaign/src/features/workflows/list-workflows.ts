import type { workflows } from '@tandem/campaign-contract';
import type { Handler, Tx } from '../../handler.ts';
import { asWorkflow } from './workflow.ts';

// Lists leave out nodes and edges: those of a hundred workflows may have a hundred megabytes.
const select = {
  ...{ id: true, tenantId: true, campaignId: true, name: true, description: true, status: true },
  ...{ createdBy: true, version: true, createdAt: true, updatedAt: true },
} as const;
type FindMany = NonNullable<Parameters<Tx['workflow']['findMany']>[0]>;

export const listWorkflows: Handler<typeof workflows.listWorkflows> = async ({ query, tx, list }) => {
  const { status, campaignId } = query;
  const page = await list({
    model: {
      findMany: (args: Omit<FindMany, 'select'>) => tx.workflow.findMany({ ...args, select }),
      count: (args: { where: FindMany['where'] }) => tx.workflow.count(args as { where: object }),
    },
    where: { ...(status && { status }), ...(campaignId !== undefined && { campaignId }) },
    searchIn: ['name', 'description'],
  });
  return { ...page, items: page.items.map(asWorkflow) };
};
