import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const month = new Date().toISOString().slice(0, 7);
const report = async (gateway: string, served: [tenantId: number, calls: number][], of = month) =>
  fleet(service).reportUsage({
    body: { gateway, served: served.map(([tenantId, calls]) => ({ tenantId: `${tenantId}`, month: of, calls })) },
  });
const read = async (tenantId: number, of = month) =>
  (await fleet(service).readUsage({ body: { tenantId: `${tenantId}`, month: of } })).data as {
    calls: number;
    recorded: { gateway: string; calls: number }[];
  };
const days = async (tenantId: number) =>
  (await service.sql('SELECT sum(calls)::int AS calls FROM usage_day WHERE owner_tenant_id = $1', [tenantId]))[0]
    ?.calls;
const tenants = async () =>
  [await aTenant(service), await aTenant(service)].map(({ tenantId }) => tenantId) as [number, number];

describe('reported usage', () => {
  it('is the sum of the highest total per gateway, with reports out of order and repeated', async () => {
    const [a, b] = await tenants();
    expect(await read(a)).toEqual({ calls: 0, recorded: [] });
    const reports: [string, [number, number][]][] = [
      ['g1', [[a, 3]]],
      [
        'g2',
        [
          [b, 7],
          [a, 10],
        ],
      ],
      ['g1', [[a, 5]]],
      ['g1', [[a, 3]]],
      ['g1', [[a, 5]]],
    ];
    for (const [gateway, served] of reports) expect((await report(gateway, served)).status).toBe(200);
    const { calls, recorded } = await read(a);
    expect([calls, new Map(recorded.map((row) => [row.gateway, row.calls]))]).toEqual([
      15,
      new Map([
        ['g1', 5],
        ['g2', 10],
      ]),
    ]);
    expect([(await read(b)).calls, await days(a), await days(b)]).toEqual([7, 15, 7]);
  });

  it('counts concurrent duplicate reports of several gateways once', async () => {
    const [a, b] = await tenants();
    const both: [number, number][] = [
      [a, 4],
      [b, 6],
    ];
    await Promise.all(
      Array.from({ length: 24 }, (_, index) => report(`g${index % 3}`, index % 2 ? both : both.toReversed())),
    );
    expect([(await read(a)).calls, (await read(b)).calls, await days(a), await days(b)]).toEqual([12, 18, 12, 18]);
  });

  it('adds to the batches recorded by gateways of the previous release', async () => {
    const [a] = await tenants();
    const batch = { gateway: 'old', batch: 1, calls: [{ tenantId: `${a}`, month, calls: 30 }] };
    await fleet(service).recordUsage({ body: batch });
    await report('g1', [[a, 12]]);
    expect((await read(a)).calls).toBe(42);
    expect(await days(a)).toBe(42);
  });

  it('ignores unknown tenants and rejects malformed months and negative totals', async () => {
    const [a] = await tenants();
    await report('g1', [
      [999_999, 1],
      [a, 1],
    ]);
    expect([(await read(a)).calls, (await read(999_999)).calls]).toEqual([1, 0]);
    expect((await report('g1', [[a, 1]], '11/2026')).status).toBe(422);
    expect((await report('g1', [[a, -1]])).status).toBe(422);
  });

  it('counts late calls on the last day of their month, and early calls on the first', async () => {
    const [a] = await tenants();
    await report('g1', [[a, 7]], '2020-02');
    await report('g1', [[a, 8]], '2099-03');
    const rows = await service.sql('SELECT day, calls::int FROM usage_day WHERE owner_tenant_id = $1 ORDER BY day', [
      a,
    ]);
    expect(rows).toEqual([
      { day: '2020-02-29', calls: 7 },
      { day: '2099-03-01', calls: 8 },
    ]);
  });

  it('is merged into one row for past months, but not for the current month', async () => {
    const [a] = await tenants();
    for (const period of ['2020-02', month])
      for (const [gateway, calls] of [
        ['g1', 2],
        ['g2', 3],
      ] as const)
        await report(gateway, [[a, calls]], period);
    expect(await service.housekeep()).toEqual([]);
    expect(await read(a, '2020-02')).toEqual({ calls: 5, recorded: [{ gateway: 'folded', calls: 5 }] });
    expect((await read(a)).recorded).toHaveLength(2);
  });

  it('is complete when read while the month is being merged', async () => {
    const [a] = await tenants();
    await report('g1', [[a, 5]], '2020-02');
    // Merges the rows while a read waits for the table lock.
    const folding = service.sql(`
      LOCK TABLE usage_gateway IN ACCESS EXCLUSIVE MODE;
      DO $$ BEGIN
        FOR attempt IN 1..1000 LOOP
          EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE relation = 'usage_gateway'::regclass AND NOT granted);
          PERFORM pg_sleep(0.01);
        END LOOP;
      END $$;
      DELETE FROM usage_gateway WHERE owner_tenant_id = ${a};
      INSERT INTO usage_month (owner_tenant_id, month, calls) VALUES (${a}, '2020-02', 5)`);
    await until('the table is locked', async () => {
      const [held] = await service.sql(
        `SELECT count(*)::int AS locks FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
         AND relation = (SELECT oid FROM pg_class WHERE relname = 'usage_gateway')`,
      );
      return held?.locks === 1;
    });
    expect((await read(a, '2020-02')).calls).toBe(5);
    await folding;
  });

  it('is accepted from internal services only', async () => {
    const { owner } = await aTenant(service);
    expect((await owner.reportUsage({ body: { gateway: 'g1', served: [] } })).status).toBe(403);
  });
});
