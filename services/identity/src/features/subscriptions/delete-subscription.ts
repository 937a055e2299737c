import type { subscriptions } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { endNow } from './end-now.ts';
import { lockSubscription } from './subscription.ts';

/** Cancels immediately, also when the cancellation was scheduled. */
export const deleteSubscription =
  (tools: Tools): Handler<typeof subscriptions.deleteSubscription> =>
  async ({ params, tx, emit, ifMatch, afterCommit }) => {
    const { tenant, before } = await lockSubscription(tx, params.id);
    ifMatch(before);
    if (before.status === 'canceled')
      throw fail('already_canceled', [{ field: 'status', message: 'Is already canceled' }]);
    afterCommit(() => tools.invalidateCredentials({ tenantId: tenant.tenantId }));
    return endNow({ tx, emit }, { tenant, before, at: new Date(), cancelReason: before.cancelReason });
  };
