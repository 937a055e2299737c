import { fail, type PageResult } from '@tandem/service';

interface PageQuery {
  page: number;
  limit: number;
  cursor?: string | undefined;
}

/** Paginates an in-memory list; the cursor is the key of the last item returned. */
export function pageOf<Item>(
  all: readonly Item[],
  keyOf: (item: Item) => string,
  { page, limit, cursor }: PageQuery,
): PageResult<Item> {
  const last = cursor === undefined ? (page - 1) * limit - 1 : all.findIndex((item) => keyOf(item) === cursor);
  if (cursor !== undefined && last < 0)
    throw fail('bad_cursor', [{ field: 'cursor', message: 'Must be pagination.nextCursor of the same list' }]);
  const items = all.slice(last + 1, last + 1 + limit);
  const hasNext = last + 1 + limit < all.length;
  const end = items.at(-1);
  return {
    items,
    total: all.length,
    page,
    limit,
    hasPrev: last >= 0,
    nextCursor: hasNext && end !== undefined ? keyOf(end) : null,
  };
}
