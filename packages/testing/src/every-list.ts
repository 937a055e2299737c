import type { Caller } from '@tandem/caller';
import { isFacetedPage, isPage, type Operation, type Operations, pageOrOther } from '@tandem/contract';
import type { z } from 'zod';
import { type Explain, openExplain, readsPage, type Statement } from './explain.ts';
import { firstId, type Records } from './fill-tables.ts';
import type { TestService } from './test-service.ts';

/** The lists of a service that are exceptions, and the values that its records need. */
interface Declared extends Records {
  /** Filters without an index of their own, as `listRoles.search`, and why. Their pages are read along the index of the order. */
  withoutIndex?: Readonly<Record<string, string>>;
  /** Lists without `sort`, and what bounds the records that they read. */
  unsorted?: Readonly<Record<string, string>>;
  /** Values of filters whose format is not in the schema, by `list.filter`. */
  samples?: (tenantId: number) => Readonly<Record<string, string>>;
  /** The key of a sortable custom field that is a number, for the lists that can be sorted by it. `prepare` defines it. */
  customField?: string;
  /** Stores records that lists need, before the tables are filled. */
  prepare?: (caller: Caller) => Promise<void>;
}

const fillTimeoutMs = 300_000;
const ownFields = new Set(['page', 'limit', 'cursor', 'sort']);

/**
 * Tests every list of a contract: each sort and each filter is served from an index, on tables with more records than a
 * page reads one by one. The statements that the service sends for a request are captured and explained under its role.
 * A list without `sort`, and a filter without an index, must be declared.
 */
export function everyList<Ops extends Operations>(
  operations: Ops,
  service: () => TestService<Ops>,
  { withoutIndex = {}, unsorted = {}, samples = () => ({}), customField, prepare, ...records }: Declared = {},
): void {
  const lists = Object.values(operations).filter(isList);
  const sorted = lists.filter((row) => row.query && 'sort' in row.query.shape);
  const sorts = sorted.flatMap((row) =>
    [...sortsOf(row), ...customSortsOf(row, customField)].map((sort) => [row.id, sort, row] as const),
  );
  const filters = sorted.flatMap((row) => filtersOf(row).map((field) => [row.id, field, row] as const));
  let explain: Explain;
  let caller: Caller;

  const statementsOf = async (row: Operation, query: Record<string, string>): Promise<Statement[]> => {
    const params = Object.fromEntries(Object.keys(row.params?.shape ?? {}).map((field) => [field, String(firstId)]));
    let status = 0;
    const statements = await explain.capture(async () => {
      // The lists of the portal are those of a partner.
      const as = row.audience === 'portal' ? { ...caller, partnerId: firstId, portalUserId: firstId } : caller;
      const response = await service().send(row, { params, query }, as);
      status = response.status;
      if (status >= 400 && status < 500)
        throw new Error(`${row.id}: status ${status}, ${JSON.stringify(response.body)}`);
    });
    // The values of the records are arbitrary, so their encoding may fail, but only after a page has been read.
    if (status >= 500 && !statements.some(readsPage))
      throw new Error(`${row.id}: status ${status} before it read a page`);
    return statements;
  };

  describe('every list', () => {
    it('has a sort, or is declared as unsorted', () => {
      const found = lists.filter((row) => !sorted.includes(row)).map(({ id }) => id);
      expect(found.sort()).toEqual(Object.keys(unsorted).sort());
    });

    it('has the filters that are declared to have no index', () => {
      const names = new Set(filters.map(([id, field]) => `${id}.${field}`));
      expect(Object.keys(withoutIndex).filter((name) => !names.has(name))).toEqual([]);
    });

    if (!sorted.length) return;
    describe('with a sort', () => {
      beforeAll(async () => {
        caller = service().as().caller;
        await prepare?.(caller);
        explain = await openExplain(service(), caller, records);
        // Fills every table of the service.
      }, fillTimeoutMs);
      afterAll(() => explain?.close());

      it.each(sorts)('%s sorts by %s along an index', async (_, sort, row) => {
        for (const statement of await statementsOf(row, { sort }))
          expect(await explain.problems(statement)).toEqual([]);
      });

      it.each(filters)('%s filters by %s from an index', async (_, field, row) => {
        const name = `${row.id}.${field}`;
        const sample = samples(caller.tenantId as number)[name];
        const statements = await statementsOf(
          row,
          sample === undefined ? sampleOf(row, field, customField) : { [field]: sample },
        );
        for (const statement of statements) expect(await explain.problems(statement)).toEqual([]);
        // Statements that do not depend on the filter read other records, such as the parent of the list.
        const others = new Set((await statementsOf(row, {})).map(({ text }) => text));
        const page = statements.filter(({ text }) => !others.has(text));
        // A declaration that is no longer needed fails too.
        expect(await explain.readsFewRecords(page.length ? page : statements)).toBe(!(name in withoutIndex));
      });
    });
  });
}

/** Whether an operation replies with several records. A search is none: its index is not that of a table. */
function isList(row: Operation): boolean {
  if (isFacetedPage(row.reply)) return false;
  const reply = pageOrOther(row.reply)?.page ?? row.reply;
  return isPage(reply) || reply._zod.def.type === 'array';
}

/** The values of `sort` that a list declares. */
export function sortsOf(row: Operation): string[] {
  const { options } = unwrapped(row.query?.shape['sort'] as z.ZodType) as unknown as {
    options: (string | z.ZodEnum)[];
  };
  // The alternative of the enum is any custom field.
  return options.flatMap((one) => (typeof one === 'string' ? one : ((one as { options?: string[] }).options ?? [])));
}

/** The sorts by a custom field, for a list that accepts them. */
function customSortsOf(row: Operation, customField: string | undefined): string[] {
  const sort = `customFields.${customField}`;
  return row.query?.shape['sort']?.safeParse(sort).success ? [sort, `-${sort}`] : [];
}

/** The filters that a list declares. */
export function filtersOf(row: Operation): string[] {
  return Object.keys(row.query?.shape ?? {}).filter((field) => !ownFields.has(field));
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? unwrapped(innerType) : schema;
}

/** A valid value of the filter that no record has. */
function sampleOf(row: Operation, field: string, customField: string | undefined): Record<string, string> {
  const schema = row.query?.shape[field] as z.ZodType;
  const { options } = unwrapped(schema) as { options?: string[] };
  const before = /(^to|To|Max)$/.test(field) ? ['2001-01-01T00:00:00Z', '0'] : [];
  const values = [
    ...(options ?? []),
    ...before,
    '999999999',
    '100',
    'true',
    '2040-01-01T00:00:00Z',
    '2001-01',
    'CHF',
    '1',
    'none',
  ];
  const value = values.find((value) => schema.safeParse(value).success);
  if (value !== undefined) return { [field]: value };
  if (customField && /^customFields(Min|Max)$/.test(field)) return { [`${field}[${customField}]`]: '100' };
  if (schema.safeParse({ key: 'none' }).success) return { [`${field}[key]`]: 'none' };
  throw new Error(`No value for ${row.id}.${field}`);
}
