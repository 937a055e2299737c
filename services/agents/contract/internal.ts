import { id, operations } from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of pending approvals whose leads are returned. */
export const pendingLeadsMax = 5_000;

/** Counts for the badges of the acting user. */
export const internalApprovalCounts = operations({
  countPendingApprovals: {
    method: 'POST',
    path: '/internal/approvals/count-pending',
    audience: 'internal',
    summary: 'Count the pending approvals; null without permission',
    body: z.object({
      /** Returns the leads of the latest approvals, for callers who may not read all leads. */
      withLeads: z.boolean(),
    }),
    reply: z.object({ pending: z.int(), leadIds: z.array(id('lead')) }).nullable(),
    message: 'Approvals counted',
    emits: [],
  },
});
