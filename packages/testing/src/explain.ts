import type { Caller } from '@tandem/caller';
import type { Operations } from '@tandem/contract';
import { isInBackground } from '@tandem/tenant-db';
import pg from 'pg';
import { addRecords, type Records } from './fill-tables.ts';
import type { TestService } from './test-service.ts';

/** A statement as the service sent it. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** A node of `EXPLAIN (FORMAT JSON)`. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  'Subplan Name'?: string;
  'Plan Rows': number;
  'Total Cost': number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

/** Explains statements of a service on large tables. */
export interface Explain {
  /** The statements that read the service's tables while `run` sends a request. */
  capture(run: () => Promise<void>): Promise<Statement[]>;
  /** Sequential scans, and sorts of all rows of a scan. */
  problems(statement: Statement): Promise<string[]>;
  /**
   * Whether the last statement that reads a page does so without reading the records one by one. The earlier ones read
   * along the order, up to a fixed number of records, and found too few (`findPage` in packages/tenant-db).
   */
  readsFewRecords(statements: Statement[]): Promise<boolean>;
  close(): Promise<void>;
}

// The largest row estimate of PostgreSQL for which sorting a page is acceptable.
const fewRows = 1_000;
// Most 8 kB pages that finding no record reads: descents of several indexes, and the pending entries of a GIN index.
// Reading the records one by one reads several hundred.
const fewPages = 100;
// PostgreSQL caches the plan for any values if it expects it to cost no more than planning for the values and running that
// plan. It assumes this cost for planning (plancache.c: 1,000 operators for each relation); lists read up to four.
const planningCost = 1_000 * 0.0025 * 5;

/** Adds records to the tables of a service, and opens a connection under its role. */
export async function openExplain(
  service: Pick<TestService<Operations>, 'sql'>,
  caller: Caller,
  records: Records,
): Promise<Explain> {
  const [current] = await service.sql('SELECT current_database() AS database, current_user AS owner');
  const { database, owner } = current as { database: string; owner: string };
  const role = owner.replace(/_owner$/, '_app');
  const url = new URL(process.env['TEST_DATABASE_URL'] as string);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  // Its database is dropped when a test file ends.
  client.on('error', () => {});
  await client.connect();
  await addRecords(client, caller.tenantId as number, records);
  await client.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', $2, false)`, [
    String(caller.tenantId),
    caller.environment,
  ]);
  await client.query(`SET ROLE ${role}`);
  // The tenant owns nearly all rows of its tables, so PostgreSQL would prefer a sequential scan. A scan of a whole index
  // can replace it here; `readsFewRecords` detects that by the pages it reads.
  await client.query('SET enable_seqscan = off');
  const planOf = async (options: string, { text, values }: Statement): Promise<PlanNode> => {
    const { rows } = await client.query(`EXPLAIN (VERBOSE, FORMAT JSON${options}) ${text}`, values);
    return rows[0]['QUERY PLAN'][0].Plan;
  };
  return {
    async capture(run) {
      const captured = await captureStatements(role, run);
      const plans = await inOrder(captured, (statement) => planOf('', statement));
      const read = captured.filter((_, index) => nodesOf(plans[index] as PlanNode).some(isOfService));
      if (!read.length) throw new Error('The request read no table');
      return read;
    },
    async problems(statement) {
      const [planned, generic] = [
        await planOf('', statement),
        await planOf(', GENERIC_PLAN', { ...statement, values: [] }),
      ];
      const isCached = generic['Total Cost'] <= planned['Total Cost'] + planningCost;
      return [planned, ...(isCached ? [generic] : [])].flatMap(problemsOf);
    },
    async readsFewRecords(statements) {
      const last = statements.findLast(readsPage);
      if (!last) throw new Error('No statement reads a page');
      return pagesOf(await planOf(', ANALYZE, BUFFERS', last)) <= fewPages;
    },
    close: () => client.end(),
  };
}

/** Whether a statement reads the records of a page. Others count the records, or find their parent. */
export function readsPage({ text }: Statement): boolean {
  return /\bORDER BY\b/.test(text) && /\bLIMIT\b/.test(text);
}

/** Captures the queries that connections of a role send to PostgreSQL. */
async function captureStatements(role: string, run: () => Promise<void>): Promise<Statement[]> {
  const captured: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config, values] = args as [string | Partial<Statement>, unknown[] | undefined];
    const { text = '', values: own = [] } = typeof config === 'string' ? { text: config, values } : config;
    // Jobs of the tested service may run meanwhile.
    if (this.user === role && !isInBackground() && /^\s*(SELECT|WITH)\b/.test(text))
      captured.push({ text, values: own });
    return query.apply(this, args);
  };
  try {
    await run();
  } finally {
    prototype.query = query;
  }
  return captured;
}

/** One after the other, because the connection runs one query at a time. */
async function inOrder<In, Out>(inputs: readonly In[], run: (input: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const input of inputs) results.push(await run(input));
  return results;
}

/** Tables of the mechanism, such as the outbox, are in another schema. Partitions are in one of their own. */
function isOfService({ Schema }: PlanNode): boolean {
  return Schema === 'public' || Schema === 'partitions';
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The pages that a statement read, with its functions. */
function pagesOf(plan: PlanNode): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

function problemsOf(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap((node) => {
    if (node['Node Type'] === 'Seq Scan') return [`sequential scan of ${node['Relation Name']}`];
    if (node['Node Type'] === 'Sort' && sortsTable(node)) return ['sort of all records'];
    return [];
  });
}

/** Whether rows of a table reach a sort without a limit in between. */
function sortsTable({ Plans = [] }: PlanNode): boolean {
  return Plans.some((child) => {
    if (child['Node Type'] === 'Limit' || child['Subplan Name'] !== undefined) return false;
    if (child['Relation Name'] === undefined) return sortsTable(child);
    return child['Plan Rows'] > fewRows;
  });
}
