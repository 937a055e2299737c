import { downlineMax, hierarchyLevelsMax, type portalData } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { findBelow } from '../hierarchy/node.ts';
import { asPartner } from '../partners/partner.ts';
import { readOwnPartner } from '../portal/own-partner.ts';

export const listPortalDownline: Handler<typeof portalData.listPortalDownline> = async ({ caller, tx, list }) => {
  const { id } = await readOwnPartner(tx, caller);
  const below = await findBelow(tx, id, { levels: hierarchyLevelsMax, most: downlineMax });
  const depths = new Map(below.map((one) => [one.id, one.depth]));
  const page = await list({ model: tx.partner, where: { id: { in: [...depths.keys()] } } });
  return { ...page, items: page.items.map((row) => ({ ...asPartner(row), depth: depths.get(row.id) ?? 0 })) };
};
