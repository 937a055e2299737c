import type { subscriptions } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Subscription as SubscriptionRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { endNow } from './end-now.ts';
import { endSubscriptionJob } from './end-subscription.job.ts';
import { lockSubscription, nothingScheduled, periodOf, writeSubscription } from './subscription.ts';

export const cancelSubscription =
  (tools: Tools): Handler<typeof subscriptions.cancelSubscription> =>
  async ({ params, body, tx, emit, schedule, ifMatch, afterCommit }) => {
    const { tenant, before } = await lockSubscription(tx, params.id);
    ifMatch(before);
    checkNotCanceled(before);
    const cancelReason = body.reason ?? null;
    if (!body.atPeriodEnd) {
      afterCommit(() => tools.invalidateCredentials({ tenantId: tenant.tenantId }));
      return endNow({ tx, emit }, { tenant, before, at: new Date(), cancelReason });
    }
    // A trial, and an unpaid subscription, ends at its own time.
    const endsAt = before.endsAt ?? periodOf(new Date()).end;
    await schedule(endSubscriptionJob, [{ subscriptionId: before.id, endsAt }], endsAt);
    const change = { ...nothingScheduled, cancelAtPeriodEnd: true, cancelReason, endsAt };
    return writeSubscription({ tx, emit }, before, change);
  };

export function checkNotCanceled({ status, cancelAtPeriodEnd }: SubscriptionRow): void {
  if (status !== 'canceled' && !cancelAtPeriodEnd) return;
  const message = 'Is already canceled, or ends at the end of the period';
  throw fail('already_canceled', [{ field: 'status', message }]);
}
