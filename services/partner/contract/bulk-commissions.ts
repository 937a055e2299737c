import { BulkReply, bulkErrors, bulkSelection, operations, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import {
  CommissionReason,
  cancelErrors,
  clawbackErrors,
  commissions,
  force,
  inPayout,
  stillHeld,
} from './commission-operations.ts';
import {
  commissionApproved,
  commissionCancelled,
  commissionEarned,
  commissionHeld,
  commissionReleased,
} from './commissions.ts';
import { payoutCompleted, payoutFailed } from './payouts.ts';

const selection = bulkSelection(commissions.listCommissions.query);
// A response to a filter reveals how many commissions match it.
const ofFilter = { permission: commissions.listCommissions.permission, for: 'filter' } as const;
const exampleIds = ['VtsalIyBgUReczN0', '1djJZs2banxN2kyX'];
const inBackground =
  'With `ids`, the commissions are changed at once and the response has one result per id; one that cannot be changed does not stop the others. With `filter` and `expectedCount`, the response is 202: the commissions that match now are changed by a background job. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the commissions that could not be changed.';
const many = {
  method: 'POST',
  permission: 'commissions:manage',
  also: [ofFilter],
  // A request changes up to 250 commissions, in one transaction.
  timeoutMs: 30_000,
  reply: BulkReply,
} as const;
const errors = { ...bulkErrors, transition_refused: sharedErrors.transition_refused } as const;
const withReason = z
  .object({ ...selection, reason: CommissionReason })
  .meta({ examples: [{ ids: exampleIds, reason: 'The customer cancelled the contract' }] });

export const bulkCommissions = operations({
  bulkApproveCommissions: {
    ...many,
    path: '/v1/partners/commissions:bulk-approve',
    summary: 'Approve many commissions',
    description: `Approves each commission as POST /v1/partners/commissions/:cid/approve does. ${inBackground}`,
    body: z
      .object({ ...selection, force })
      .meta({ examples: [{ filter: { status: 'pending', period: '2026-03' }, expectedCount: 2 }] }),
    message: 'Commissions approved',
    emits: [commissionApproved],
    errors: { ...errors, ...stillHeld },
  },
  bulkHoldCommissions: {
    ...many,
    path: '/v1/partners/commissions:bulk-hold',
    summary: 'Put many commissions on hold',
    description: `Puts each commission on hold as POST /v1/partners/commissions/:cid/hold does. ${inBackground}`,
    body: withReason,
    message: 'Commissions on hold',
    emits: [commissionHeld, payoutCompleted, payoutFailed],
    errors: { ...errors, ...inPayout },
  },
  bulkReleaseCommissions: {
    ...many,
    path: '/v1/partners/commissions:bulk-release',
    summary: 'Release many commissions',
    description: `Releases each commission as POST /v1/partners/commissions/:cid/release does. ${inBackground}`,
    body: z.object(selection).meta({ examples: [{ ids: exampleIds }] }),
    message: 'Commissions released',
    emits: [commissionReleased],
    errors,
  },
  bulkCancelCommissions: {
    ...many,
    path: '/v1/partners/commissions:bulk-cancel',
    summary: 'Cancel many commissions',
    description: `Cancels each commission as POST /v1/partners/commissions/:cid/cancel does. ${inBackground}`,
    body: withReason,
    message: 'Commissions cancelled',
    emits: [commissionCancelled, payoutCompleted, payoutFailed],
    errors: { ...errors, ...inPayout, ...cancelErrors },
  },
  bulkClawbackCommissions: {
    ...many,
    path: '/v1/partners/commissions:bulk-clawback',
    summary: 'Claw back many commissions',
    description: `Claws back the whole amount of each commission, as POST /v1/partners/commissions/:cid/clawback does. ${inBackground}`,
    body: withReason,
    message: 'Commissions clawed back',
    emits: [commissionEarned],
    errors: { ...bulkErrors, ...clawbackErrors },
  },
});
