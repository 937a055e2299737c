import type { KnownSettings } from '@tandem/identity-contract';
import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCommission, type CommissionRecord } from '../commissions/commission.ts';
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
    return { ...page, items: page.items.map((row) => withoutSuspicion(asCommission(row))) };
  },
});

/** The reason of a hold is for the team: it may be a suspicion that proves wrong. */
function withoutSuspicion(commission: CommissionRecord): CommissionRecord {
  return commission.status === 'on_hold' ? { ...commission, reason: null } : commission;
}
