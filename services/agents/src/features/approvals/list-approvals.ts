import type { approvals } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import { me } from '@tandem/contract';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { asApproval } from './approval.ts';

// No user has this id.
const nobody = 0;

export const listApprovals = (tools: Tools): Handler<typeof approvals.listApprovals, number[] | undefined> => ({
  check: ({ caller, tx }) => readableLeadsOf(tools, { caller, tx, table: fragment`approval` }),
  async run({ query, caller, tx, list, found: readable }) {
    const { status, agentId, assignee } = query;
    const page = await list({
      model: tx.approval,
      where: {
        status,
        ...(agentId !== undefined && { agentId }),
        ...(assignee !== undefined && { assignee: assignee === me ? (actingUserId(caller) ?? nobody) : assignee }),
      },
      and: readable ? [{ leadId: { in: readable } }] : [],
    });
    return { ...page, items: page.items.map(asApproval) };
  },
});
