import { type coMarketing, coMarketingCategories } from '@tandem/partner-contract';
import type { Context } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asResource, type ResourceRecord } from './resource.ts';

const groupedMax = 1_000;

export const listCoMarketingResources: Handler<typeof coMarketing.listCoMarketingResources> = (context) => {
  const { status } = context.query;
  return listResources(context, status ? { status } : {});
};

/** One page of resources that meet a condition, or all of these grouped by category. */
export async function listResources(
  context: Pick<Context<typeof coMarketing.listCoMarketingResources, Tx>, 'query' | 'tx' | 'list'>,
  condition: Record<string, unknown>,
) {
  const { query, tx, list } = context;
  const { category, sourceType, grouped } = query;
  const page = await list({
    model: tx.coMarketingResource,
    where: { ...(category && { category }), ...(sourceType && { sourceType }), ...condition },
    searchIn: ['name', 'description'],
    ...(grouped && { wholeMax: groupedMax }),
  });
  const items = page.items.map(asResource);
  return grouped ? { other: byCategory(items) } : { ...page, items };
}

function byCategory(items: ResourceRecord[]) {
  const groups = coMarketingCategories.map((category) => [category, items.filter((one) => one.category === category)]);
  return Object.fromEntries(groups) as Record<(typeof coMarketingCategories)[number], ResourceRecord[]>;
}
