import type { referrals } from '@tandem/partner-contract';
import type { z } from 'zod';

type Query = Partial<z.output<typeof referrals.listReferrals.query>>;

/** Which referrals a list has. */
export function listedReferrals({ partnerId, status, source, from, to }: Query) {
  return {
    where: {
      ...(partnerId !== undefined && { partnerId }),
      ...(status && { status }),
      ...(source && { source }),
    },
    and: [...(from ? [{ occurredAt: { gte: from } }] : []), ...(to ? [{ occurredAt: { lte: to } }] : [])],
  };
}
