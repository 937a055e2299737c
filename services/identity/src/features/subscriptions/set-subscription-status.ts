import type { internalAdmin } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { setStatus } from './set-status.ts';
import { lockSubscription } from './subscription.ts';

const dayMs = 86_400_000;

/** For operators: the statuses that depend on trials and payments, which are handled outside of the platform. */
export const setSubscriptionStatus =
  (tools: Tools): Handler<typeof internalAdmin.setSubscriptionStatus> =>
  async ({ body, inTenant, afterCommit }) => {
    const { tenantId, status, plan, days } = body;
    const deadline = new Date(Date.now() + days * dayMs);
    const subscription = await inTenant({ tenantId, environment: 'live' }, async (inside) =>
      setStatus(inside, await lockSubscription(inside.tx), { status, plan, deadline }),
    );
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return subscription;
  };
