import { type GiveUpContext, type Inside, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { PayoutItem as PayoutItemRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { openAccount } from '../payout-accounts/account.ts';
import { endIfDone } from './end-payout.ts';
import { changePayout } from './payout.ts';
import { payItemJob } from './payout-jobs.ts';
import { settle } from './settle-payout.job.ts';

type Payload = z.output<typeof payItemJob.payload>;

/**
 * Sends one payment to the provider. The idempotency key is that of the payment, so a run after a crash, or after an answer
 * that was lost, does not pay twice.
 */
export const payItem = ({ paymentProvider, seal }: Pick<Tools, 'paymentProvider' | 'seal'>) =>
  job({
    ...payItemJob,
    async run({ payload, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const item = await tx.payoutItem.findFirst({ where: { id: payload.itemId } });
      const payout = await tx.payout.findFirst({ where: { id: payload.payoutId } });
      if (!payout || !item || !isCurrent(item, payload)) return;
      if (!paymentProvider) throw new Error('PAYOUT_PROVIDER_URL is not set');
      const account = await tx.payoutAccount.findFirst({ where: { id: item.accountId as number } });
      if (!account) throw new Error('the payment has no account');
      const payment = {
        key: `${scope.tenantId}-${scope.environment}-${item.id}-${item.attempt}`,
        amountMinor: item.amountMinor,
        currency: payout.currency,
        account: openAccount(seal, account),
      };
      const outcome = await outside(() => paymentProvider.pay(payment));
      await finish(async (inside) => {
        const locked = await lockCurrent(inside.tx, payload);
        if (!locked) return;
        if (outcome.outcome === 'refused') return fails(inside, locked, { failure: outcome.error, isUncertain: false });
        await inside.tx.payoutItem.updateMany({
          where: { id: item.id },
          data: { externalRef: outcome.reference },
        });
        await settle(inside, locked.payout, [locked.item]);
      });
    },
    /** The provider may have made the payment: a retry repeats it with the same key. */
    async giveUp({ payload, ...inside }: GiveUpContext<Payload, Tx>) {
      const locked = await lockCurrent(inside.tx, payload);
      const failure = 'The payment provider did not answer; check there whether it made the payment, or retry';
      if (locked) await fails(inside, locked, { failure, isUncertain: true });
    },
  });

const isCurrent = ({ status, attempt }: PayoutItemRow, payload: Payload) =>
  status === 'pending' && attempt === payload.attempt;

interface Locked {
  payout: PayoutRow;
  item: PayoutItemRow;
}

async function lockCurrent(tx: Tx, payload: Payload): Promise<Locked | undefined> {
  const payout = await tx.payout.lockFirst({ where: { id: payload.payoutId }, sharesKey: true });
  const item = await tx.payoutItem.lockFirst({ where: { id: payload.itemId } });
  return payout && item && isCurrent(item, payload) ? { payout, item } : undefined;
}

async function fails(
  { tx, emit }: Pick<Inside<Tx>, 'tx' | 'emit'>,
  { payout, item }: Locked,
  { failure, isUncertain }: { failure: string; isUncertain: boolean },
): Promise<void> {
  await tx.payoutItem.updateMany({
    where: { id: item.id },
    // With another key the provider takes the next attempt as another payment.
    data: { status: 'failed', failure, isUncertain, attempt: item.attempt + (isUncertain ? 0 : 1) },
  });
  await endIfDone({ tx, emit }, await changePayout(tx, payout.id, { failedCount: { increment: 1 } }));
}
