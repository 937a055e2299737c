import type { quotas } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { asSubmission, readActuals } from './submission.ts';

type Found = { base: string; timezone: string };

export const listForecastSubmissions = (peers: Peers): Handler<typeof quotas.listForecastSubmissions, Found> => ({
  check: async ({ caller }) => ({ base: await peers.currencyOf(caller), timezone: await peers.timezoneOf(caller) }),
  async run({ query, tx, list, found: { base, timezone } }) {
    const { period, ownerId, category } = query;
    const page = await list({
      model: tx.forecastSubmission,
      where: { ...(period && { period }), ...(ownerId !== undefined && { ownerId }), ...(category && { category }) },
    });
    const actualOf = await readActuals(tx, page.items, { base, timezone });
    return { ...page, items: page.items.map((row) => asSubmission(row, actualOf(row))) };
  },
});
