import type { payouts } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPayout } from './payout.ts';

export const listPayouts: Handler<typeof payouts.listPayouts> = async ({ query, tx, list }) => {
  const { status, currency } = query;
  const page = await list({
    model: tx.payout,
    where: { ...(status && { status }), ...(currency && { currency }) },
  });
  return { ...page, items: page.items.map(asPayout) };
};
