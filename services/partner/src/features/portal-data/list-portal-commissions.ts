import type { KnownSettings } from '@tandem/identity-contract';
import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCommission } from '../commissions/commission.ts';
import { listedCommissions } from '../commissions/listed-commissions.ts';
import { monthsWith } from '../months/time-zone.ts';
import { readOwnPartner } from '../portal/own-partner.ts';

export const listPortalCommissions = ({
  settingsOf,
}: Tools): Handler<typeof portalData.listPortalCommissions, KnownSettings> => ({
  check: async ({ query, caller }) => (query.period ? settingsOf(caller) : undefined),
  async run({ query, caller, tx, list, found: settings }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const months = query.period ? await monthsWith(tx, settings) : undefined;
    const page = await list({ model: tx.commission, ...listedCommissions({ ...query, partnerId }, months) });
    return { ...page, items: page.items.map(asCommission) };
  },
});
