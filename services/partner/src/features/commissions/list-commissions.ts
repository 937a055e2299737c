import type { KnownSettings } from '@tandem/identity-contract';
import type { commissions } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { monthsWith } from '../months/time-zone.ts';
import { asCommission } from './commission.ts';
import { listedCommissions } from './listed-commissions.ts';

export const listCommissions = ({ settingsOf }: Tools): Handler<typeof commissions.listCommissions, KnownSettings> => ({
  check: async ({ query, caller }) => (query.period ? settingsOf(caller) : undefined),
  async run({ query, tx, list, found: settings }) {
    const months = query.period ? await monthsWith(tx, settings) : undefined;
    const page = await list({ model: tx.commission, ...listedCommissions(query, months) });
    return { ...page, items: page.items.map(asCommission) };
  },
});
