import type { addons } from '@tandem/identity-contract';
import { fail, type PageResult } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';

export const listAddonCatalog: Handler<typeof addons.listAddonCatalog> = ({ query }) => {
  const { category, search = '' } = query;
  const words = search.toLowerCase();
  const found = catalogue.filter(
    (addon) =>
      (category === undefined || addon.category === category) &&
      [addon.name, addon.description].some((text) => text.toLowerCase().includes(words)),
  );
  return pageOf(found, query);
};

/** Paginates an in-memory list; the cursor is the key of the last item returned. */
function pageOf(
  all: CatalogueEntry[],
  { page, limit, cursor }: { page: number; limit: number; cursor?: string | undefined },
): PageResult<CatalogueEntry> {
  const last = cursor === undefined ? (page - 1) * limit - 1 : all.findIndex(({ key }) => key === cursor);
  if (cursor !== undefined && last < 0)
    throw fail('bad_cursor', [{ field: 'cursor', message: 'Must be pagination.nextCursor of the same list' }]);
  const items = all.slice(last + 1, last + 1 + limit);
  const hasNext = last + 1 + limit < all.length;
  return {
    items,
    total: all.length,
    page,
    limit,
    hasPrev: last >= 0,
    nextCursor: hasNext ? (items.at(-1)?.key ?? null) : null,
  };
}
