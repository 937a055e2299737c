import type { Subscription as SubscriptionRow, Tenant as TenantRow } from '../../generated/client.ts';
import { setPlan } from './set-plan.ts';
import { type Inside, nothingScheduled, writeSubscription } from './subscription.ts';

interface End {
  tenant: TenantRow;
  before: SubscriptionRow;
  at: Date;
  cancelReason: string | null;
}

/**
 * Ends a locked subscription: the tenant is on Free. The subscription keeps its plan, on which it can be resumed.
 */
export async function endNow(inside: Inside, { tenant, before, at, cancelReason }: End) {
  await setPlan(inside, tenant, 'free');
  return writeSubscription(inside, before, { ...nothingScheduled, status: 'canceled', canceledAt: at, cancelReason });
}
