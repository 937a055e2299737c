import type { commissions } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asCommission } from './commission.ts';

export const listPartnerCommissions: Handler<typeof commissions.listPartnerCommissions> = async (context) => {
  const { params, query, tx, list } = context;
  const { status, type, currency, opportunityId } = query;
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({
    model: tx.commission,
    where: {
      partnerId,
      ...(status && { status }),
      ...(type && { type }),
      ...(currency && { currency }),
      ...(opportunityId !== undefined && { opportunityId }),
    },
  });
  return { ...page, items: page.items.map(asCommission) };
};
