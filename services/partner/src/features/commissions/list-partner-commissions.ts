import type { commissions } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { boundsOf } from '../statements/period.ts';
import { asCommission } from './commission.ts';

export const listPartnerCommissions: Handler<typeof commissions.listPartnerCommissions> = async (context) => {
  const { params, query, tx, list } = context;
  const { status, type, period, currency, opportunityId } = query;
  const { id: partnerId } = await readPartner(tx, params.id);
  const month = period && boundsOf(period);
  const page = await list({
    model: tx.commission,
    where: {
      partnerId,
      ...(status && { status }),
      ...(type && { type }),
      ...(month && { createdAt: { gte: month.start, lt: month.end } }),
      ...(currency && { currency }),
      ...(opportunityId !== undefined && { opportunityId }),
    },
  });
  return { ...page, items: page.items.map(asCommission) };
};
