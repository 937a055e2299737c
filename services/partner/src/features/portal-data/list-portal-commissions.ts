import type { KnownSettings } from '@tandem/identity-contract';
import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCommission, type CommissionRecord } from '../commissions/commission.ts';
import { listedCommissions } from '../commissions/listed-commissions.ts';
import { monthsWith } from '../months/time-zone.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { readDisclosure } from './disclosed.ts';

interface Found {
  settings: KnownSettings | undefined;
  hidesDeals: boolean;
}

export const listPortalCommissions = ({
  addonSettings,
  settingsOf,
}: Tools): Handler<typeof portalData.listPortalCommissions, Found> => ({
  async check({ query, caller }) {
    const disclosure = await readDisclosure({ addonSettings }, caller);
    return { hidesDeals: disclosure === 'none', settings: query.period ? await settingsOf(caller) : undefined };
  },
  async run({ query, caller, tx, list, found: { settings, hidesDeals } }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const months = query.period ? await monthsWith(tx, settings) : undefined;
    const page = await list({ model: tx.commission, ...listedCommissions({ ...query, partnerId }, months) });
    return { ...page, items: page.items.map((row) => shown(asCommission(row), { hidesDeals })) };
  },
});

/**
 * A commission as its partner sees it. The reason of a hold is for the team, because a suspicion can prove wrong, and the
 * basis of a commission is the value of its deal.
 */
function shown(commission: CommissionRecord, { hidesDeals }: { hidesDeals: boolean }): CommissionRecord {
  return {
    ...commission,
    ...(commission.status === 'on_hold' && { reason: null }),
    ...(hidesDeals && { basisAmount: null }),
  };
}
