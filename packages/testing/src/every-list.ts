import type { Caller } from '@tandem/caller';
import { isPage, type Operation, type Operations, pageOrOther } from '@tandem/contract';
import pg from 'pg';
import type { z } from 'zod';
import { addRecords, firstId } from './fill-tables.ts';
import type { TestService } from './test-service.ts';

/** A statement as the service sent it. */
interface Sent {
  text: string;
  values: unknown[];
}

/** A node of `EXPLAIN (FORMAT JSON)`. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Subplan Name'?: string;
  'Plan Rows': number;
  'Total Cost': number;
  'Index Cond'?: string;
  'Index Name'?: string;
  Output?: string[];
  Plans?: PlanNode[];
}

// The largest row estimate of PostgreSQL for which sorting a page is acceptable.
const fewRows = 1_000;
// PostgreSQL caches the plan for any values if it expects it to cost no more than planning for the values and running that
// plan. It assumes this cost for planning (plancache.c: 1,000 operators for each relation); lists read up to four.
const planningCost = 1_000 * 0.0025 * 5;

const ownFields = new Set(['page', 'limit', 'cursor', 'sort', 'createdFrom', 'createdTo']);

/**
 * Tests every list of a contract: each sort and each filter is served from an index, on tables with more records than a
 * page reads one by one. The statements that the service sends are captured and explained under its role.
 * @param except filters and sorts without a separate index (`listRoles.search`), or whole lists, and why
 * @param texts values of records that handlers depend on, by `table.column`
 */
export function everyList<Ops extends Operations>(
  operations: Ops,
  service: () => TestService<Ops>,
  except: Readonly<Record<string, string>> = {},
  texts: Readonly<Record<string, string>> = {},
): void {
  const lists = Object.values(operations).filter((row) => isList(row) && !(row.id in except));
  const sorts = lists.flatMap((row) =>
    sortsOf(row)
      .filter((sort) => !(`${row.id}.${sort.replace('-', '')}` in except))
      .map((sort) => [row.id, sort, row] as const),
  );
  const filters = lists.flatMap((row) =>
    filtersOf(row)
      .filter((field) => !(`${row.id}.${field}` in except))
      .map((field) => [row.id, field, row] as const),
  );
  let explain: Awaited<ReturnType<typeof openExplain>>;
  let caller: Caller;

  describe('every list', () => {
    beforeAll(async () => {
      caller = service().as().caller;
      explain = await openExplain(service(), caller, texts);
    });
    afterAll(() => explain?.close());

    const call = async (row: Operation, query: Record<string, string>) => {
      const params = Object.fromEntries(Object.keys(row.params?.shape ?? {}).map((field) => [field, String(firstId)]));
      const capture = captureStatements();
      try {
        await service().send(row, { params, query }, caller);
      } finally {
        capture.stop();
      }
      const sent = capture.sent.filter(isOfList);
      if (!sent.length) throw new Error(`${row.id} sent no statement for ${JSON.stringify(query)}`);
      return sent;
    };

    it.each(sorts)('%s sorts by %s along an index', async (_, sort, row) => {
      for (const statement of await call(row, { sort })) expect(await explain.problems(statement)).toEqual([]);
    });

    it.each(filters)('%s filters by %s from an index', async (_, field, row) => {
      const sent = await call(row, sampleOf(row, field));
      for (const statement of sent) expect(await explain.problems(statement)).toEqual([]);
      expect(!sent.some(checksRows) || (await explain.findsByIndex(sent))).toBe(true);
    });
  });
}

function isList(row: Operation): boolean {
  const reply = pageOrOther(row.reply)?.page ?? row.reply;
  return isPage(reply) && row.query !== undefined && 'sort' in row.query.shape && row.audience !== 'internal';
}

function sortsOf(row: Operation): string[] {
  return (unwrapped(row.query?.shape['sort'] as z.ZodType) as unknown as { options: string[] }).options;
}

function filtersOf(row: Operation): string[] {
  return Object.keys(row.query?.shape ?? {}).filter((field) => !ownFields.has(field));
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? unwrapped(innerType) : schema;
}

/** A valid value of the filter that no record has. */
function sampleOf(row: Operation, field: string): Record<string, string> {
  const schema = row.query?.shape[field] as z.ZodType;
  const { options } = unwrapped(schema) as { options?: string[] };
  const before = field.endsWith('To') || field.endsWith('Max') ? ['2001-01-01T00:00:00Z', '0'] : [];
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
  if (schema.safeParse({ key: 'none' }).success) return { [`${field}[key]`]: 'none' };
  throw new Error(`No value for ${row.id}.${field}`);
}

/** Captures the statements that the process sends to PostgreSQL. */
function captureStatements(): { sent: Sent[]; stop: () => void } {
  const sent: Sent[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [config, values] = args as [string | Partial<Sent>, unknown[] | undefined];
    const text = typeof config === 'string' ? config : config.text;
    if (text) sent.push({ text, values: (typeof config === 'string' ? values : config.values) ?? [] });
    return query.apply(this, args);
  };
  return {
    sent,
    stop: () => {
      prototype.query = query;
    },
  };
}

/**
 * Whether a statement reads a page: it orders by the id last. Statements of Prisma's engine include the schema name.
 */
function isOfList({ text }: Sent): boolean {
  return /ORDER BY [^)]*(\bid"?|"#id") (ASC|DESC)/.test(text) && !text.includes('"public".');
}

/** The table that is listed. */
function tableOf({ text }: Sent): string | undefined {
  return /FROM "(\w+)"/.exec(text)?.[1];
}

/** Whether a statement checks a condition on rows that it reads along an index. */
function checksRows({ text }: Sent): boolean {
  return /LIMIT \d+\) AS "\w+"\s+WHERE/.test(text);
}

/** Explains statements under the service's role, on tables with more records than a page reads one by one. */
async function openExplain(
  service: Pick<TestService<Operations>, 'sql'>,
  caller: Caller,
  texts: Readonly<Record<string, string>>,
) {
  const [current] = await service.sql('SELECT current_database() AS database, current_user AS owner');
  const { database, owner } = current as { database: string; owner: string };
  const url = new URL(process.env['TEST_DATABASE_URL'] as string);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  // Its database is dropped when a test file ends.
  client.on('error', () => {});
  await client.connect();
  await addRecords(client, caller.tenantId as number, texts);
  await client.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', $2, false)`, [
    String(caller.tenantId),
    caller.environment,
  ]);
  await client.query(`SET ROLE ${owner.replace(/_owner$/, '_app')}`);
  const { rows: some } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indpred IS NOT NULL AND pg_get_expr(indpred, indrelid) <> '(deleted_at IS NULL)'`,
  );
  const indexesOfSome = new Set(some.map(({ name }) => name));
  // The tenant owns nearly all rows of its tables, so PostgreSQL would prefer a sequential scan.
  await client.query('SET enable_seqscan = off');
  const planOf = async (explain: string, values: unknown[]): Promise<PlanNode> => {
    const { rows } = await client.query(explain, values);
    return rows[0]['QUERY PLAN'][0].Plan;
  };
  const plan = ({ text, values }: Sent) => planOf(`EXPLAIN (VERBOSE, FORMAT JSON) ${text}`, values);
  const genericPlan = ({ text }: Sent) => planOf(`EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ${text}`, []);
  return {
    async problems(statement: Sent) {
      const [planned, generic] = [await plan(statement), await genericPlan(statement)];
      const isCached = generic['Total Cost'] <= planned['Total Cost'] + planningCost;
      return [planned, ...(isCached ? [generic] : [])].flatMap((one) => problemsOf(one, tableOf(statement)));
    },
    async findsByIndex(sent: Sent[]) {
      const plans = await Promise.all(sent.map(plan));
      return plans.some((plan) =>
        nodesOf(plan).some((node) => isSelective(node) || indexesOfSome.has(node['Index Name'] ?? '')),
      );
    },
    close: () => client.end(),
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Finds sequential scans, and sorts of all rows of a scan. */
function problemsOf(plan: PlanNode, table: string | undefined): string[] {
  return nodesOf(plan).flatMap((node) => {
    if (node['Node Type'] === 'Seq Scan') return [`sequential scan of ${node['Relation Name']}`];
    if (node['Node Type'] === 'Sort' && sortsTable(node, table)) return ['sort of all records'];
    return [];
  });
}

/** Whether rows of a table reach a sort without a limit in between. */
function sortsTable({ Plans = [] }: PlanNode, table: string | undefined): boolean {
  return Plans.some((child) => {
    if (child['Node Type'] === 'Limit' || child['Subplan Name'] !== undefined) return false;
    if (child['Relation Name'] === undefined) return sortsTable(child, table);
    return child['Relation Name'] === table && child['Plan Rows'] > fewRows;
  });
}

/** Whether an index scan filters by more than tenant and environment, or the node is a function that reads an index. */
function isSelective(node: PlanNode): boolean {
  if (node['Node Type'] === 'ProjectSet' || node['Node Type'] === 'Result')
    return (node.Output ?? []).some((output) => output.includes('_with_'));
  const further = (node['Index Cond'] ?? '').replace(/\(?\w*\.?(tenant_id|environment) = [^)]*\)?( AND )?/g, '');
  return /[a-z]/.test(further.replace(/ AND /g, ''));
}
