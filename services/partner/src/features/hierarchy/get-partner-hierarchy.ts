import { type HierarchyNode, type hierarchy, hierarchyNodesMax } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asNodes, findAbove, findBelow, readAll } from './node.ts';

export const getPartnerHierarchy: Handler<typeof hierarchy.getPartnerHierarchy> = async ({ params, query, tx }) => {
  const { id } = await readPartner(tx, params.id);
  const { direction, depth: levels } = query;
  const above = direction === 'down' ? [] : await findAbove(tx, id, levels);
  const most = hierarchyNodesMax - above.length - 1;
  // One more tells whether partners are left out.
  const below = direction === 'up' ? [] : await findBelow(tx, id, { levels, most: most + 1 });
  const places = [
    ...above.map((id, index) => ({ id, depth: -index - 1 })).reverse(),
    { id, depth: 0 },
    ...below.slice(0, most),
  ];
  const rows = await readAll(tx, places);
  const nodes = new Map<number, HierarchyNode>();
  const parents = new Map(rows.map(({ row }) => [row.id, row.parentPartnerId]));
  // Parents come before their recruits.
  for (const one of await asNodes(tx, rows)) {
    const node = { ...one, children: [] };
    nodes.set(node.id, node);
    nodes.get(parents.get(node.id) ?? 0)?.children.push(node);
  }
  const [top] = nodes.values();
  if (!top) throw fail('not_found');
  return { ...top, truncated: below.length > most };
};
