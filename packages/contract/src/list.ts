import { z } from 'zod';
import { text, timestamp } from './fields.ts';

const pages = new WeakSet<z.core.$ZodType>();
const facetedPages = new WeakSet<z.core.$ZodType>();
const optionalPages = new WeakSet<z.core.$ZodType>();

/** The reply schema of a list operation. */
export type Paged<Item extends z.ZodType> = z.ZodArray<Item> & { readonly paged: true };

/** The reply of a list operation: the handler returns a page of items, the envelope gets `data` and `pagination`. */
export function page<Item extends z.ZodType>(item: Item): Paged<Item> {
  const schema = z.array(item);
  pages.add(schema);
  return schema as Paged<Item>;
}

/** The reply of a search: a page that can also count the values of fields among all matches, as `facets` of the envelope. */
export function facetedPage<Item extends z.ZodType>(item: Item): Paged<Item> {
  const schema = page(item);
  facetedPages.add(schema);
  return schema;
}

/** Whether a reply schema was made by facetedPage(). */
export function isFacetedPage(schema: z.core.$ZodType): boolean {
  return facetedPages.has(schema);
}

/** The reply schema of a list operation that can return an object instead, depending on the query. */
export type PagedOr<Item extends z.ZodType, Other extends z.ZodObject> = z.ZodUnion<[z.ZodArray<Item>, Other]> & {
  readonly pagedOr: true;
};

/**
 * The reply of a list operation whose query can request one object instead, such as its items in groups. The handler
 * returns a page of items, or `other`, which becomes `data` without pagination.
 */
export function pageOr<Item extends z.ZodType, Other extends z.ZodObject>(
  item: Item,
  other: Other,
): PagedOr<Item, Other> {
  const schema = z.union([page(item), other]);
  optionalPages.add(schema);
  return schema as unknown as PagedOr<Item, Other>;
}

/** The page and other schemas of a reply that pageOr() made; undefined for any other. */
export function pageOrOther(schema: z.core.$ZodType): { page: z.core.$ZodType; other: z.core.$ZodType } | undefined {
  if (!optionalPages.has(schema)) return undefined;
  const [paged, other] = (schema._zod.def as unknown as { options: [z.core.$ZodType, z.core.$ZodType] }).options;
  return { page: paged, other };
}

/** Whether a reply schema was made by page(). */
export function isPage(schema: z.core.$ZodType): boolean {
  return pages.has(schema);
}

/** The item schema of a page. */
export function pageItem(schema: z.core.$ZodType): z.core.$ZodType {
  return (schema._zod.def as unknown as { element: z.core.$ZodType }).element;
}

const pageMax = 100_000;

/** A sort by a custom field that the tenant defined as sortable: `customFields.seats`. */
export const customFieldSort = /^-?customFields\.[a-zA-Z][a-zA-Z0-9_]{0,63}$/;

/**
 * The query of every list. `sortable` names the fields that `sort` accepts, ascending by name and descending with a
 * minus; the default is the first one, descending, unless `byDefault` is set.
 * @param byCustomFields whether `sort` also accepts `customFields.<key>`
 */
export function listQuery<const Sortable extends readonly [string, ...string[]]>(
  sortable: Sortable,
  byDefault: Sortable[number] | `-${Sortable[number]}` = `-${sortable[0]}`,
  { byCustomFields = false } = {},
) {
  const sorts = sortable.flatMap((field) => [field, `-${field}`]);
  const error = `Must be one of ${sorts.join(', ')}${byCustomFields ? ', or customFields.<key> of a sortable custom field' : ''}`;
  const fixed = z.enum(sorts as [string, ...string[]], { error });
  return z.object({
    page: wholeNumber(1, pageMax).describe('The page number, starting at 1').default(1),
    limit: wholeNumber(1, 100).describe('The maximum number of records per page').default(20),
    cursor: z
      .string()
      // A cursor contains the sort value, such as a file name of 255 characters.
      .max(2048)
      .describe('`pagination.nextCursor` of the previous page; overrides `page`')
      .optional(),
    sort: (byCustomFields ? z.union([fixed, z.string().regex(customFieldSort)], { error }) : fixed)
      .describe('The field to sort by; a leading minus sorts in descending order')
      .default(byDefault),
    search: text(200)
      .meta({ description: 'Text to search for', examples: ['ada'] })
      .optional(),
    createdFrom: timestamp().describe('Return only records created at this time or later').optional(),
    createdTo: timestamp().describe('Return only records created at this time or earlier').optional(),
  });
}

/** A whole number in a query: digits on the wire, a number inside. */
export function wholeNumber(min: number, max: number) {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.codec(
    z.string({ error }).regex(/^-?[0-9]{1,12}$/, { error }),
    z.int({ error }).min(min, { error }).max(max, { error }),
    {
      decode: Number,
      encode: String,
    },
  );
}

/** A boolean in a query: `true` or `false`. */
export function flag() {
  return z.codec(z.enum(['true', 'false'], { error: 'Must be true or false' }), z.boolean(), {
    decode: (wire) => wire === 'true',
    encode: (value) => (value ? ('true' as const) : ('false' as const)),
  });
}

/**
 * The resource of a list of the tenant, which views of this list name: its path without `/v1/` and without ids, such as
 * `leads` or `teams/members`. Undefined for every other operation.
 */
export function viewResource({ method, path, audience = 'tenant', query, reply }: ListRow): string | undefined {
  if (method !== 'GET' || audience !== 'tenant' || !query || !('limit' in query.shape)) return undefined;
  if (!isPage(reply) && !pageOrOther(reply)) return undefined;
  const segments = path.split('/').slice(2);
  return segments.filter((segment) => !segment.startsWith(':')).join('/');
}

type ListRow = { method: string; path: string; audience?: string; query?: z.ZodObject; reply: z.ZodType };
