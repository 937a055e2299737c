import type { KnownSettings } from '@tandem/identity-contract';
import type { commissions } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { monthsWith } from '../months/time-zone.ts';
import { readPartner } from '../partners/partner.ts';
import { asCommission } from './commission.ts';
import { listedCommissions } from './listed-commissions.ts';

export const listPartnerCommissions = ({
  settingsOf,
}: Tools): Handler<typeof commissions.listPartnerCommissions, KnownSettings> => ({
  check: async ({ query, caller }) => (query.period ? settingsOf(caller) : undefined),
  async run({ params, query, tx, list, found: settings }) {
    const { id: partnerId } = await readPartner(tx, params.id);
    const months = query.period ? await monthsWith(tx, settings) : undefined;
    const page = await list({ model: tx.commission, ...listedCommissions({ ...query, partnerId }, months) });
    return { ...page, items: page.items.map(asCommission) };
  },
});
