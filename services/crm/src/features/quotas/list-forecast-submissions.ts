import type { quotas } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { periodNamed } from '../forecast/periods.ts';
import { asSubmission, sumsOfOwner } from './submission.ts';

type Found = { base: string; timezone: string };

export const listForecastSubmissions = (peers: Peers): Handler<typeof quotas.listForecastSubmissions, Found> => ({
  check: async ({ caller }) => ({ base: await peers.currencyOf(caller), timezone: await peers.timezoneOf(caller) }),
  async run({ query, tx, list, found: { base, timezone } }) {
    const { period, ownerId, category } = query;
    const page = await list({
      model: tx.forecastSubmission,
      where: { ...(period && { period }), ...(ownerId !== undefined && { ownerId }), ...(category && { category }) },
    });
    // Submissions of the same owner, period and currency are compared with the same sum.
    const sums = new Map<string, Promise<number>>();
    const items = [];
    for (const row of page.items) {
      const of = periodNamed(row.period, timezone);
      const key = [row.ownerId, row.period, row.currency].join();
      const sum = () => sumsOfOwner(tx, { ownerId: row.ownerId, period: of, base, currency: row.currency });
      if (of.to <= new Date() && !sums.has(key))
        sums.set(
          key,
          sum().then(({ closedWon }) => closedWon),
        );
      items.push(asSubmission(row, (await sums.get(key)) ?? null));
    }
    return { ...page, items };
  },
});
