import type { winLossReasons } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asReason, withCounts } from './win-loss-reason.ts';

export const listWinLossReasons: Handler<typeof winLossReasons.listWinLossReasons> = async ({ query, tx, list }) => {
  const { outcome, active } = query;
  const page = await list({
    model: tx.winLossReason,
    where: { ...(outcome && { outcome }), ...(active !== undefined && { active }) },
    searchIn: ['code', 'name'],
  });
  return { ...page, items: await withCounts(tx, page.items.map(asReason)) };
};
