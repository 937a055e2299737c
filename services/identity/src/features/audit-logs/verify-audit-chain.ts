import type { internalAdmin } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { walkChain } from './walk-chain.ts';

export const verifyAuditChain =
  ({ ids }: Tools): Handler<typeof internalAdmin.verifyAuditChain> =>
  async ({ body: { tenantId }, inTenant }) => {
    const { entries, anchor, broken } = await walkChain({
      tenantId,
      ids,
      read: (work) => inTenant({ tenantId, environment: 'live' }, ({ tx }) => work(tx)),
    });
    return {
      entries,
      purged: anchor.position,
      intact: !broken,
      firstBroken: broken?.firstBroken ?? null,
      reason: broken?.reason ?? null,
    };
  };
