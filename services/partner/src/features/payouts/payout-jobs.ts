import { id } from '@tandem/contract';
import { z } from 'zod';

const payload = z.object({ payoutId: id('payout') });

/** Collects the commissions of a payout, portion by portion. */
export const preparePayoutJob = { name: 'prepare-payout', payload };
/** Marks the commissions of payments that were made as paid, portion by portion. */
export const settlePayoutJob = { name: 'settle-payout', payload };
/** Releases the commissions of a cancelled payout, portion by portion. */
export const releasePayoutJob = { name: 'release-payout', payload };
/** The number of payments that are mailed at once. */
export const mailedAtOnce = 100;
/** Mails the owners of partners that payments were made, or failed without a payout account. */
export const mailPaymentsJob = {
  name: 'mail-payments',
  payload: z.object({
    payoutId: id('payout'),
    itemIds: z.array(id('payout_item')).max(mailedAtOnce),
    outcome: z.enum(['paid', 'no_account']),
  }),
};
/** Sends a payment to the payment provider. */
export const payItemJob = {
  name: 'pay-item',
  payload: z.object({ payoutId: id('payout'), itemId: id('payout_item'), attempt: z.int() }),
};
