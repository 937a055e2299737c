import type { commissions } from '@tandem/partner-contract';
import type { ListFilter } from '@tandem/service';
import type { z } from 'zod';
import type { Months } from '../months/months.ts';

type Filters = Partial<z.output<typeof commissions.listCommissions.query>>;

/** The commissions that the list has for its filters; `months` are needed for a period only. */
export function listedCommissions(filters: Filters, months: Months | undefined): ListFilter {
  const { partnerId, status, cancelled, type, period, currency, opportunityId, payoutId } = filters;
  const month = period && months?.boundsOf(period);
  return {
    where: {
      ...(partnerId !== undefined && { partnerId }),
      ...(status && { status }),
      ...(type && { type }),
      ...(month && { createdAt: { gte: month.start, lt: month.end } }),
      ...(currency && { currency }),
      ...(opportunityId !== undefined && { opportunityId }),
      ...(payoutId !== undefined && { payoutId }),
    },
    and: cancelled === undefined ? [] : [{ status: cancelled ? 'cancelled' : { not: 'cancelled' } }],
  };
}
