import { id, timestamp } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { notifyBilling } from './billing-people.ts';
import { endNow } from './end-now.ts';
import { lockSubscription } from './subscription.ts';

/** Job that ends a subscription: at the end of its period, of its trial, or of the time to pay. */
export const endSubscriptionJob = {
  name: 'end-subscription',
  payload: z.object({ subscriptionId: id('subscription'), endsAt: timestamp() }),
};

/** Cancels the subscription as of its end, even if the job runs late. An end that was withdrawn or moved has no effect. */
export const endSubscription = (tools: Tools) =>
  job({
    ...endSubscriptionJob,
    async run({ payload, finish }: JobContext<z.output<typeof endSubscriptionJob.payload>, Tx>) {
      let ended: number | undefined;
      await finish(async ({ tx, emit }) => {
        const { tenant, before } = await lockSubscription(tx, payload.subscriptionId);
        // Cancellations that the previous release scheduled have no end in the row.
        const endsAt = before.endsAt ?? (before.cancelAtPeriodEnd ? payload.endsAt : undefined);
        if (before.status === 'canceled' || endsAt?.getTime() !== payload.endsAt.getTime()) return;
        await endNow({ tx, emit }, { tenant, before, at: payload.endsAt, cancelReason: before.cancelReason });
        if (before.status !== 'active')
          await notifyBilling(tx, emit, {
            title:
              before.status === 'trialing'
                ? { en: 'The trial has ended', de: 'Die Testphase ist beendet' }
                : { en: 'The subscription has ended unpaid', de: 'Das Abonnement ist unbezahlt beendet' },
            body: {
              en: 'The plan is Free now. All data stays readable. Change the subscription to a plan to go on as before.',
              de: 'Jetzt gilt der Tarif Free. Alle Daten bleiben lesbar. Wählen Sie für das Abonnement einen Tarif, um wie bisher weiterzuarbeiten.',
            },
            data: { subscriptionId: before.id },
          });
        ended = tenant.tenantId;
      });
      if (ended !== undefined) await tools.invalidateCredentials({ tenantId: ended });
    },
  });
