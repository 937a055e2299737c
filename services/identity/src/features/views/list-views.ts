import type { views } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readableResources } from './lists.ts';
import { asView, visibleTo } from './view.ts';

export const listViews: Handler<typeof views.listViews> = async ({ query, caller, tx, list }) => {
  const readable = readableResources(caller.permissions);
  const page = await list({
    model: tx.view,
    where: {
      ...(await visibleTo(tx, caller)),
      ...(query.resource !== undefined && { resource: query.resource }),
    },
    and: [{ resource: { in: readable } }],
  });
  return { ...page, items: page.items.map(asView) };
};
