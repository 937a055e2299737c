import { createRelayPool } from '@tandem/tenant-db';
import { cloneDatabase } from '@tandem/tooling';
import pg from 'pg';
import {
  claimSql,
  createDueRows,
  type DueRows,
  oldestDueSql,
  oldestMax,
  visitGroupsSql,
  visitsMax,
} from './due-rows.ts';

// Tests the dispatcher's queries on tables with a backlog. Cost is measured in pages, which do not depend on machine
// load.

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let owner: pg.Pool;
let relay: pg.Pool;
let rows: DueRows;
beforeAll(async () => {
  database = await cloneDatabase('agents');
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  // Its database is dropped when the file ends.
  owner.on('error', () => {});
  relay = createRelayPool(database.relayUrl, 4);
  rows = createDueRows(relay, ['a', 'b']);
  // Policies also apply to the owner, and allow rows of one tenant at a time.
  await owner.query('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
});
beforeEach(() => owner.query('TRUNCATE platform.job'));
afterAll(async () => {
  await owner?.end();
  await relay?.end();
  await database?.drop();
});

/** Adds waiting jobs that fell due one after the other until now, or will in an hour. */
async function seed(jobs: number, { name = 'a', tenants = 1, from = 1, isDue = true } = {}): Promise<void> {
  await owner.query(
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
     SELECT $1, $2::bigint + n % $3::int, 'live', '{}', now() + $4::interval - make_interval(secs => ($5::int - n) * 0.001)
     FROM generate_series(1, $5::int) AS n`,
    [name, from, tenants, isDue ? '0' : '1 hour', jobs],
  );
  await owner.query('ANALYZE platform.job');
}

interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** The pages that a statement reads; its changes are rolled back. */
async function costOf(text: string, values: unknown[]): Promise<{ pages: number; scansTable: boolean }> {
  const client = await relay.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }];
    return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scansTable: hasTableScan(plan) };
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

function hasTableScan(plan: Plan): boolean {
  return plan['Node Type'] === 'Seq Scan' || (plan.Plans ?? []).some(hasTableScan);
}

describe('the cost of a poll', () => {
  const claims = [['a'], [1], ['live'], [500]];
  const statements: [string, string, unknown[]][] = [
    ['claiming 500 rows of a tenant', claimSql, claims],
    ['the oldest due rows', oldestDueSql, [['a', 'b']]],
    ['a visit of the tenants', visitGroupsSql, ['', 0, '']],
  ];
  const costs = () => Promise.all(statements.map(([, text, values]) => costOf(text, values)));

  it('does not grow with the backlog', async () => {
    await seed(2_000);
    await seed(300, { tenants: 300, from: 2, isDue: false });
    const small = await costs();
    await seed(400_000, { name: 'a' });
    await seed(100_000, { name: 'b', isDue: false });
    const large = await costs();
    for (const [index, [what]] of statements.entries()) {
      const { pages, scansTable } = large[index] as (typeof large)[number];
      expect([what, scansTable]).toEqual([what, false]);
      // In a larger table, each of up to 500 rows may be on its own page, and an index may be one level deeper.
      expect(pages).toBeLessThan(3 * (small[index]?.pages ?? 0) + 1_000);
    }
  }, 120_000);
});

describe('the dispatcher’s queries', () => {
  it('find all due rows when they are few, and report when they are not', async () => {
    await seed(3, { tenants: 2 });
    await seed(1, { name: 'b' });
    await seed(5, { isDue: false });
    const few = await rows.oldestDue();
    expect(few.isAll).toBe(true);
    expect(few.groups.reduce((sum, group) => sum + group.rows, 0)).toBe(4);
    await seed(oldestMax);
    expect((await rows.oldestDue()).isAll).toBe(false);
  });

  it('ignore kinds of jobs that the service does not run', async () => {
    await seed(oldestMax, { name: 'elsewhere' });
    expect(await rows.oldestDue()).toEqual({ groups: [], isAll: true });
    expect((await rows.visit(undefined)).due).toEqual([]);
    expect(await rows.untilNext()).toBeUndefined();
  });

  it('visit every tenant that has a due job, in several parts when there are many', async () => {
    const tenants = visitsMax + 100;
    await seed(tenants, { tenants });
    await seed(tenants, { tenants, from: 10_000, isDue: false });
    const seen: number[] = [];
    let part = await rows.visit(undefined);
    for (let visits = 1; visits <= 3; visits += 1) {
      seen.push(...part.due.map(({ tenant_id }) => tenant_id));
      expect(part.isEnd).toBe(visits === 3);
      part = await rows.visit(part.last);
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: tenants }, (_, index) => index + 1));
  });

  it('claim the oldest rows of each group, and no row twice when several dispatchers claim at once', async () => {
    await seed(300, { tenants: 2 });
    const claims = [1, 2].map((tenant_id) => ({ name: 'a', tenant_id, environment: 'live' as const, rowsMax: 20 }));
    const claimed = (await Promise.all(Array.from({ length: 4 }, () => rows.claim(claims)))).flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    // A claim skips rows that another one has locked, so all four together have the oldest.
    const { rows: oldest } = await owner.query(
      `SELECT count(*)::int AS waiting FROM platform.job WHERE state = 'waiting'
       AND due_at < (SELECT max(due_at) FROM platform.job WHERE state = 'queued')`,
    );
    expect(claimed.length).toBe(160);
    expect(oldest[0].waiting).toBeLessThan(160);
  });

  it('requeue rows that were queued long ago or outlived their lease, and nothing else', async () => {
    await seed(6);
    await owner.query(`UPDATE platform.job AS job SET state = given.state, queued_at = given.queued_at, lease_until = given.lease_until
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM platform.job) AS numbered
      JOIN (VALUES (1, 'queued', now() - interval '31 s', NULL), (2, 'queued', now(), NULL),
        (3, 'running', NULL, now() - interval '1 s'), (4, 'running', NULL, now() + interval '1 min'),
        (5, 'dead', NULL, NULL)) AS given (n, state, queued_at, lease_until) USING (n)
      WHERE job.id = numbered.id`);
    expect(await rows.requeueLost()).toHaveLength(2);
    expect(await rows.requeueLost()).toHaveLength(0);
    const { rows: states } = await owner.query('SELECT state FROM platform.job ORDER BY id');
    expect(states.map(({ state }) => state)).toEqual(['queued', 'queued', 'queued', 'running', 'dead', 'waiting']);
  });
});
