import type { payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asPayout, lockPayout, wrongTransition } from './payout.ts';
import { startPayments } from './start-payments.ts';

export const processPayout =
  ({ paymentProvider }: Tools): Handler<typeof payouts.processPayout> =>
  async ({ params, body: { method }, tx, emit, schedule, ifMatch }) => {
    const payout = await lockPayout(tx, params.id);
    ifMatch(payout);
    // A failed payout is retried instead, with the method that it has.
    if (payout.status !== 'approved') throw wrongTransition(payout);
    if (method === 'provider' && !paymentProvider) throw fail('no_provider');
    return asPayout(await startPayments({ tx, emit, schedule }, payout, { method, processedAt: new Date() }));
  };
