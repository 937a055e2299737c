import { id, timestamp } from '@tandem/contract';
import { subscriptionCanceled } from '@tandem/identity-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asSubscription, lockSubscription } from './subscription.ts';

/** Job that ends a subscription at the end of its period. */
export const endSubscriptionJob = {
  name: 'end-subscription',
  payload: z.object({ subscriptionId: id('subscription'), endsAt: timestamp() }),
};

/** Cancels the subscription as of the end of its period, even if the job runs late. */
export const endSubscription = job({
  ...endSubscriptionJob,
  async run({ payload, finish }: JobContext<z.output<typeof endSubscriptionJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const before = await lockSubscription(tx, payload.subscriptionId);
      if (!before.cancelAtPeriodEnd || before.status === 'canceled') return;
      const [row] = await tx.subscription.updateManyAndReturn({
        where: { id: before.id },
        data: { status: 'canceled', canceledAt: payload.endsAt, version: { increment: 1 } },
      });
      if (!row) return;
      const subscription = asSubscription(row, []);
      const { id: subscriptionId, planCode, status } = subscription;
      emit(subscriptionCanceled, {
        data: { subscriptionId, planCode, status },
        record: subscription,
        changes: { status: { from: before.status, to: status } },
      });
    });
  },
});
