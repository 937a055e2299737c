import { createTenantDb, type Scope } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import { Prisma, PrismaClient } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { uplinesAt } from './uplines.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let db: ReturnType<typeof open>;
const open = () =>
  createTenantDb({
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });
beforeAll(async () => {
  settings = await testSettings('partner');
  db = open();
});
afterAll(async () => {
  await db?.close();
  await settings?.drop();
});

let tenants = 0;
const aScope = (): Scope => ({ tenantId: ++tenants, environment: 'live' });
const within = <T>(scope: Scope, run: (tx: Tx) => Promise<T>) => db.transaction(scope, () => run(db.tx as Tx));
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
let numbers = 0;

/** Creates a partner by SQL, as earlier releases did: without a history of parents. */
const aPartner = (scope: Scope, parentPartnerId: number | null = null, tier = 'bronze') =>
  within(scope, async (tx) => {
    const email = `p${++numbers}@example.com`;
    const data = { email, emailKey: email, firstName: 'A', lastName: 'B', parentPartnerId, tier, status: 'approved' };
    return (await tx.partner.create({ data })).id;
  });
interface Change {
  partnerId: number;
  from: number | null;
  to: number | null;
  at: Date;
  status?: string;
}
const change = (scope: Scope, { partnerId, from, to, at: effectiveAt, status = 'applied' }: Change) =>
  within(scope, (tx) =>
    tx.parentChange.create({ data: { partnerId, fromParentId: from, toParentId: to, effectiveAt, status } }),
  );
const chains = async (scope: Scope, asked: { partnerId: number; at: Date }[], levels = 10) =>
  (await within(scope, (tx) => uplinesAt(tx, asked, levels))).map((chain) => chain.map(({ id, level }) => [id, level]));

it('returns the chain of each time, with the tier and status of now', async () => {
  const scope = aScope();
  const [top, other] = [await aPartner(scope, null, 'gold'), await aPartner(scope)];
  const middle = await aPartner(scope, other);
  const seller = await aPartner(scope, middle);
  await change(scope, { partnerId: middle, from: null, to: top, at: day(1) });
  await change(scope, { partnerId: middle, from: top, to: other, at: day(10) });
  await change(scope, { partnerId: seller, from: null, to: middle, at: day(5) });
  const asked = [
    { partnerId: seller, at: day(4) },
    { partnerId: seller, at: day(5) },
    { partnerId: seller, at: day(10) },
    { partnerId: middle, at: day(4) },
  ];
  expect(await chains(scope, asked)).toEqual([
    [],
    [
      [middle, 2],
      [top, 3],
    ],
    [
      [middle, 2],
      [other, 3],
    ],
    [[top, 2]],
  ]);
  expect(await chains(scope, asked, 1)).toEqual([[], [[middle, 2]], [[middle, 2]], [[top, 2]]]);
  const [first] = await within(scope, (tx) => uplinesAt(tx, [{ partnerId: middle, at: day(4) }], 1));
  expect(first).toEqual([{ id: top, level: 2, tier: 'gold', status: 'approved' }]);
});

it('reads the current parent of a partner without a history, and the replaced one before the first entry', async () => {
  const scope = aScope();
  const [one, two] = [await aPartner(scope), await aPartner(scope)];
  const seller = await aPartner(scope, one);
  expect(await chains(scope, [{ partnerId: seller, at: day(1) }])).toEqual([[[one, 2]]]);
  await change(scope, { partnerId: seller, from: one, to: two, at: day(3) });
  expect(
    await chains(scope, [
      { partnerId: seller, at: day(2) },
      { partnerId: seller, at: day(3) },
    ]),
  ).toEqual([[[one, 2]], [[two, 2]]]);
});

it('leaves out changes that were not applied, and ends at a cycle', async () => {
  const scope = aScope();
  const [one, two] = [await aPartner(scope), await aPartner(scope)];
  const seller = await aPartner(scope, one);
  await change(scope, { partnerId: seller, from: null, to: one, at: day(1) });
  for (const status of ['scheduled', 'refused', 'replaced'])
    await change(scope, { partnerId: seller, from: one, to: two, at: day(2), status });
  await change(scope, { partnerId: one, from: null, to: seller, at: day(2) });
  expect(await chains(scope, [{ partnerId: seller, at: day(3) }])).toEqual([[[one, 2]]]);
});

it('has no partners of another tenant or environment', async () => {
  const scope = aScope();
  const top = await aPartner(scope);
  const seller = await aPartner(scope, top);
  const asked = [{ partnerId: seller, at: day(1) }];
  expect(await chains({ ...scope, environment: 'sandbox' }, asked)).toEqual([[]]);
  expect(await chains(aScope(), asked)).toEqual([[]]);
});

it('reads the history of each partner along an index, among many entries', async () => {
  const scope = aScope();
  const top = await aPartner(scope);
  const seller = await aPartner(scope, top);
  await within(
    scope,
    (tx) => tx.sql`INSERT INTO parent_change (partner_id, to_parent_id, effective_at)
      SELECT ${seller}::bigint, ${top}::bigint, now() - make_interval(mins => n::int) FROM generate_series(1, 20000) AS n`,
  );
  const rows = await within(scope, async (tx) => {
    await uplinesAt(
      tx,
      Array.from({ length: 50 }, () => ({ partnerId: seller, at: day(1) })),
      5,
    );
    const [row] = await tx.sql<{ rows: number }>`SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS rows
      FROM pg_stat_xact_user_tables WHERE relname = 'parent_change'`;
    return row?.rows ?? 0;
  });
  expect(rows).toBeLessThan(1_000);
});
