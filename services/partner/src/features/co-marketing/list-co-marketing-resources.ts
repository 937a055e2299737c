import { type coMarketing, coMarketingCategories } from '@tandem/partner-contract';
import type { Context } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asResource, type ResourceRecord, type ResourceStatus } from './resource.ts';

const groupedMax = 1_000;

export const listCoMarketingResources: Handler<typeof coMarketing.listCoMarketingResources> = (context) =>
  listResources(context, context.query.status);

/** One page of resources, or all resources grouped by category. */
export async function listResources(
  context: Pick<Context<typeof coMarketing.listCoMarketingResources, Tx>, 'query' | 'tx' | 'list'>,
  status: ResourceStatus | undefined,
) {
  const { query, tx, list } = context;
  const { category, sourceType, grouped } = query;
  const page = await list({
    model: tx.coMarketingResource,
    where: { ...(category && { category }), ...(sourceType && { sourceType }), ...(status && { status }) },
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
