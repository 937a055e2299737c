import type { payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asPayout, lockPayout, wrongTransition } from './payout.ts';
import { startPayments } from './start-payments.ts';

export const retryPayout =
  ({ paymentProvider }: Tools): Handler<typeof payouts.retryPayout> =>
  async ({ params, tx, emit, schedule, ifMatch }) => {
    const payout = await lockPayout(tx, params.id);
    ifMatch(payout);
    const { status, method } = asPayout(payout);
    if (status !== 'failed' || !method) throw wrongTransition(payout);
    if (method === 'provider' && !paymentProvider) throw fail('no_provider');
    const retried = await tx.sql`UPDATE payout_item SET status = 'pending', failure = NULL,
        account_id = CASE WHEN is_uncertain THEN account_id END
      WHERE payout_id = ${payout.id} AND status = 'failed' RETURNING id`;
    if (!retried.length) throw fail('payout_in_progress');
    return asPayout(await startPayments({ tx, emit, schedule }, payout, { method, processedAt: new Date() }));
  };
