import type { approvals } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asApproval } from './approval.ts';

export const listApprovals: Handler<typeof approvals.listApprovals> = async ({ query, tx, list }) => {
  const { status, agentId } = query;
  const page = await list({ model: tx.approval, where: { status, ...(agentId !== undefined && { agentId }) } });
  return { ...page, items: page.items.map(asApproval) };
};
