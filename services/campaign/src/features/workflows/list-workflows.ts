import type { workflows } from '@tandem/campaign-contract';
import type { List } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { asWorkflow } from './workflow.ts';

// Lists omit nodes and edges, which can be 100 MB for a hundred workflows.
const select = {
  id: true,
  tenantId: true,
  campaignId: true,
  name: true,
  description: true,
  status: true,
  triggerType: true,
  draftVersion: true,
  publishedVersion: true,
  createdBy: true,
  ownerId: true,
  teamId: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

export const listWorkflows: Handler<typeof workflows.listWorkflows> = ({ query, tx, list }) =>
  pageOfWorkflows({ tx, list }, query);

type Filters = Pick<
  z.output<typeof workflows.listWorkflows.query>,
  'status' | 'campaignId' | 'ownerId' | 'teamId' | 'triggerType'
>;

/** A page of workflows. */
export async function pageOfWorkflows(
  { tx, list }: { tx: Tx; list: List },
  { status, campaignId, ownerId, teamId, triggerType }: Filters,
) {
  const page = await list({
    model: tx.workflow,
    select,
    where: {
      deletedAt: null,
      ...(status && { status }),
      ...(triggerType && { triggerType }),
      ...(campaignId !== undefined && { campaignId }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
    },
    searchIn: ['name', 'description'],
  });
  return { ...page, items: page.items.map(asWorkflow) };
}
