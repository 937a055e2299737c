import { bulkCommissions, commissions } from '@tandem/partner-contract';
import { bulkOperation } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { readMonths } from '../months/time-zone.ts';
import { lockWithPayouts, readWithPayout } from '../payouts/leave-payout.ts';
import { approve } from './approve-commission.ts';
import { cancelByHand } from './cancel-commission.ts';
import { clawBack } from './clawback-commission.ts';
import { lockCommission } from './commission.ts';
import { holdByHand } from './hold-commission.ts';
import { listedCommissions } from './listed-commissions.ts';
import { release } from './release-commission.ts';

const ofCommissions = {
  type: 'commission',
  model: (tx: Tx) => tx.commission,
  listed: async (filter: Parameters<typeof listedCommissions>[0], tx: Tx) =>
    listedCommissions(filter, filter.period ? await readMonths(tx) : undefined),
  readPermission: commissions.listCommissions.permission,
  prepare: ({ tx, ids }: { tx: Tx; ids: readonly number[] }) => lockWithPayouts(tx, ids),
} as const;

export const bulkApproveCommissions = bulkOperation({
  ...ofCommissions,
  row: bulkCommissions.bulkApproveCommissions,
  change: async ({ tx, emit, id, body }) => approve({ tx, emit }, await lockCommission(tx, id), body),
});

export const bulkHoldCommissions = bulkOperation({
  ...ofCommissions,
  row: bulkCommissions.bulkHoldCommissions,
  change: async ({ tx, emit, id, body }) => holdByHand({ tx, emit }, await readWithPayout(tx, id), body),
});

export const bulkReleaseCommissions = bulkOperation({
  ...ofCommissions,
  row: bulkCommissions.bulkReleaseCommissions,
  change: async ({ tx, emit, schedule, id }) => release({ tx, emit, schedule }, await lockCommission(tx, id)),
});

export const bulkCancelCommissions = bulkOperation({
  ...ofCommissions,
  row: bulkCommissions.bulkCancelCommissions,
  change: async ({ tx, emit, id, body }) => cancelByHand({ tx, emit }, await readWithPayout(tx, id), body),
});

export const bulkClawbackCommissions = bulkOperation({
  ...ofCommissions,
  row: bulkCommissions.bulkClawbackCommissions,
  change: async ({ tx, emit, id, body: { reason } }) =>
    clawBack({ tx, emit }, await lockCommission(tx, id), { reason }),
});

/** The bulk operations of commissions. Each makes the change of the operation on a single commission. */
export const commissionBulk = {
  bulkApproveCommissions,
  bulkHoldCommissions,
  bulkReleaseCommissions,
  bulkCancelCommissions,
  bulkClawbackCommissions,
};
