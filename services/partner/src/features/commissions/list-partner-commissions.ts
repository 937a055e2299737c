import type { KnownSettings } from '@tandem/identity-contract';
import type { commissions } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { monthsWith } from '../statements/time-zone.ts';
import { asCommission } from './commission.ts';

export const listPartnerCommissions = ({
  settingsOf,
}: Tools): Handler<typeof commissions.listPartnerCommissions, KnownSettings> => ({
  check: async ({ query, caller }) => (query.period ? settingsOf(caller) : undefined),
  async run({ params, query, tx, list, found: settings }) {
    const { status, type, period, currency, opportunityId } = query;
    const { id: partnerId } = await readPartner(tx, params.id);
    const month = period && (await monthsWith(tx, settings)).boundsOf(period);
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
  },
});
