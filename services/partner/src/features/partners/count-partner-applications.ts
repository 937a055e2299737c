import type { internalApplicationCounts } from '@tandem/partner-contract';
import { reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const countPartnerApplications: Handler<typeof internalApplicationCounts.countPartnerApplications> = async ({
  caller,
  tx,
}) => {
  if (caller.tenantId === undefined || reachOf(caller, 'partners:read') !== 'all') return null;
  return { pending: await tx.partner.count({ where: { status: 'pending' } }) };
};
