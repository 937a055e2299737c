import { TierChange, type tiers } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';

const columns = TierChange.pick({ from: true, to: true, cause: true });

export const listTierChanges: Handler<typeof tiers.listTierChanges> = async ({ params, tx, list }) => {
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({ model: tx.tierChange, where: { partnerId } });
  const items = page.items.map(({ fromTier: from, toTier: to, ...row }) => ({
    ...row,
    ...columns.parse({ from, to, cause: row.cause }),
  }));
  return { ...page, items };
};
