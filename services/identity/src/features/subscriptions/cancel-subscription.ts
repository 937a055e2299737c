import { subscriptionCanceled, type subscriptions, subscriptionUpdated } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readInstalled } from '../addons/addon.ts';
import { endSubscriptionJob } from './end-subscription.job.ts';
import { asSubscription, lockSubscription, periodOf } from './subscription.ts';

export const cancelSubscription: Handler<typeof subscriptions.cancelSubscription> = async ({
  params,
  body,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const before = await lockSubscription(tx, params.id);
  ifMatch(before);
  if (before.status === 'canceled' || before.cancelAtPeriodEnd) {
    const message = 'Is already canceled, or ends at the end of the period';
    throw fail('already_canceled', [{ field: 'status', message }]);
  }
  const now = new Date();
  const effect = body.atPeriodEnd ? { cancelAtPeriodEnd: true } : { status: 'canceled', canceledAt: now };
  const [row] = await tx.subscription.updateManyAndReturn({
    where: { id: before.id },
    data: { ...effect, cancelReason: body.reason ?? null, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const subscription = asSubscription(row, await readInstalled(tx));
  const { id: subscriptionId, planCode, status } = subscription;
  const data = { subscriptionId, planCode, status };
  if (body.atPeriodEnd) {
    const endsAt = periodOf(now).end;
    await schedule(endSubscriptionJob, [{ subscriptionId, endsAt }], endsAt);
    const changes = { cancelAtPeriodEnd: { from: false, to: true } };
    emit(subscriptionUpdated, { data, record: subscription, changes });
  } else {
    const changes = { status: { from: before.status, to: status } };
    emit(subscriptionCanceled, { data, record: subscription, changes });
  }
  return subscription;
};
