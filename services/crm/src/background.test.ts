import { randomUUID } from 'node:crypto';
import { leadCreated } from '@tandem/crm-contract';
import { consumer } from '@tandem/events';
import { createMetrics, type Metrics } from '@tandem/process';
import { inBackground, type Scope } from '@tandem/tenant-db';
import { testService, until } from '@tandem/testing';
import { aLead, alone, type CrmDatabase, openCrmDatabase } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Guarantees of packages/tenant-db for background work and requests that share a pool.

const mine: Scope = { tenantId: 1, environment: 'live' };

describe('the pool', () => {
  const metrics = createMetrics('test');
  let database: CrmDatabase;
  let db: CrmDatabase['db'];
  beforeAll(async () => {
    database = await openCrmDatabase({ poolMax: 4, backgroundMax: 2, metrics });
    ({ db } = database);
  });
  afterAll(() => database?.close());

  /** Transactions that each keep a connection until `release` is called. */
  function holders(of: Pick<typeof db, 'transaction' | 'tx'>, count: number) {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const held = { count: 0, release, done: Promise.resolve<unknown>(undefined) };
    const hold = (tenantId: number) =>
      of.transaction({ ...mine, tenantId }, async () => {
        await of.tx.sql`SELECT 1`;
        held.count += 1;
        await gate;
      });
    held.done = Promise.all(Array.from({ length: count }, (_, index) => hold(index + 1)));
    return held;
  }

  it('limits background work to its share, and leaves the rest to requests', async () => {
    const held = holders(inBackground(db), 6);
    await until('background work has its part', () => held.count === 2);
    const requests = holders(db, 2);
    await until('requests have the rest', () => requests.count === 2);
    expect(held.count).toBe(2);
    for (const one of [requests, held]) one.release();
    await Promise.all([requests.done, held.done]);
    expect(held.count).toBe(6);
  });

  it('lets background work wait for a connection longer than a request', async () => {
    const requests = holders(db, 4);
    await until('requests hold all connections', () => requests.count === 4);
    const work = inBackground(db).transaction(mine, () => db.tx.sql<{ one: number }>`SELECT 1 AS one`);
    await expect(db.within({ ...mine, tenantId: 9 }, () => db.tx.sql`SELECT 1`)).rejects.toThrow('timeout exceeded');
    requests.release();
    await requests.done;
    expect(await work).toEqual([{ one: 1 }]);
  });

  it('measures the waits of background work apart from those of requests', async () => {
    const before = await waits(metrics);
    const held = holders(inBackground(db), 3);
    await until('background work has its part', () => held.count === 2);
    held.release();
    await held.done;
    await db.within(mine, () => db.tx.sql`SELECT 1`);
    const after = await waits(metrics);
    const added = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
    expect(added).toEqual({
      'share background': 3,
      'connection background': 3,
      'share request': 1,
      'connection request': 1,
    });
  });

  it('aborts waiting background work when the process stops', async () => {
    const stop = new AbortController();
    const held = holders(inBackground(db), 2);
    await until('background work has its part', () => held.count === 2);
    const waiting = inBackground(db, stop.signal).within(mine, () => db.tx.sql`SELECT 1`);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    held.release();
    await held.done;
  });
});

describe('a batch of events of many tenants', () => {
  const tenants = 50;
  const workSeconds = 0.2;

  it('does not slow down requests, and is handled without errors', async () => {
    const first = Promise.withResolvers<void>();
    const started: number[] = [];
    let working = 0;
    let workingMax = 0;
    const slow = consumer({
      name: 'slow',
      on: [leadCreated],
      async handle([event], { tx }) {
        working += 1;
        workingMax = Math.max(workingMax, working);
        started.push(event?.tenantId as number);
        first.resolve();
        await (tx as { sql: typeof import('@tandem/tenant-db').statement }).sql`SELECT pg_sleep(${workSeconds})`;
        working -= 1;
      },
    });
    const service = await testService('crm', (settings) => ({
      ...crmService({ ...settings, ...alone }),
      consumers: [slow],
    }));
    try {
      const api = service.as();
      const { data } = await api.createLead({ body: aLead() });
      const read = async () => {
        const from = performance.now();
        expect((await api.getLead({ params: { id: data.id } })).status).toBe(200);
        return performance.now() - from;
      };
      const sent = await until('the event is known', () => service.events.find(({ name }) => name === 'lead.created'));
      await until('it is handled', () => started.length === 1 && working === 0);
      const aloneMs = await medianOf(read, () => false);

      await Promise.all(
        Array.from({ length: tenants }, (_, index) => {
          const id = randomUUID();
          return service.publish('lead.created', { ...sent, id, tenantId: 1_000 + index }, id);
        }),
      );
      const duringBatchMs = await medianOf(read, () => started.length <= tenants);
      // If the batch took all connections, a read would wait for several of its transactions.
      expect(duringBatchMs).toBeLessThan(Math.max(10 * aloneMs, workSeconds * 1_000));
      await until('all are handled', () => started.length > tenants && working === 0);
      expect(workingMax).toBeLessThanOrEqual(3);
      expect(new Set(started).size).toBe(started.length);
      expect(await service.deadLetters('slow')).toEqual([]);
    } finally {
      await service.close();
    }
  });
});

/** How many waits the pool has measured, by what was waited for and by kind of work. */
async function waits(metrics: Metrics): Promise<Record<string, number>> {
  const counts = (await metrics.text()).matchAll(
    /^tandem_pool_(share_)?wait_seconds_count\{.*work="(\w+)".*\} (\d+)$/gm,
  );
  return Object.fromEntries(
    [...counts].map(([, share, work, n]) => [`${share ? 'share' : 'connection'} ${work}`, Number(n)]),
  );
}

/** The median time of at least 20 runs, repeated while `isRepeating` returns true. */
async function medianOf(run: () => Promise<number>, isRepeating: () => boolean): Promise<number> {
  const times: number[] = [];
  while (times.length < 20 || isRepeating()) times.push(await run());
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}
