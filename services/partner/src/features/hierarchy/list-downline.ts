import { downlineMax, type hierarchy, hierarchyLevelsMax } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asNodes, findBelow } from './node.ts';

export const listDownline: Handler<typeof hierarchy.listDownline> = async ({ params, query, tx, list }) => {
  const { id } = await readPartner(tx, params.id);
  const { depth: levels = hierarchyLevelsMax } = query;
  const below = await findBelow(tx, id, { levels, most: downlineMax });
  const depths = new Map(below.map(({ id, depth }) => [id, depth]));
  const page = await list({
    model: tx.partner,
    where: { id: { in: [...depths.keys()] } },
    searchIn: ['email', 'firstName', 'lastName', 'company'],
  });
  const items = await asNodes(
    tx,
    page.items.map((row) => ({ row, depth: depths.get(row.id) ?? 0 })),
  );
  return { ...page, items };
};
