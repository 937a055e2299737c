import { internalRebuilds } from '@tandem/analytics-contract';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { report, reportTimezone } from '../../records.test-service.ts';
import { aTenantWith, aWorld, random } from '../dashboard/world.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenantWith>>;

/** Rebuilds all sums; resolves to how many rows were wrong. */
async function rebuilt({ api }: Tenant): Promise<number> {
  let [written, after]: [number, number | null] = [0, null];
  do {
    const { status, data } = await service.send(
      internalRebuilds.rebuildCounts,
      { body: { part: 'sums', after } },
      { ...api.caller, type: 'system' },
    );
    expect(status).toBe(200);
    written += data.written;
    after = data.next;
  } while (after !== null);
  return written;
}

async function sumsOf({ api }: Tenant) {
  const sums = (table: string, condition: string) =>
    service.sqlWithin(
      api.caller,
      `SELECT name, day::text, value, sum(count)::int AS count, sum(amount)::float8 AS amount FROM ${table} WHERE ${condition}
      GROUP BY 1, 2, 3 HAVING sum(count) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3`,
    );
  return [
    await sums('measure', 'true'),
    await sums('measure_total', 'team_id = 0'),
    await sums('measure', 'user_id = 5'),
  ];
}

/** A tenant with records of every kind. */
async function aFilledTenant(seed: number): Promise<Tenant> {
  const tenant = await aTenantWith(service, aWorld(random(seed)));
  const day = '2026-03-05T10:00:00.000Z';
  await report(tenant.told, 'partner.approved', { id: '1', version: 1 });
  await report(tenant.told, 'commission.earned', { id: '1', version: 1, createdAt: day });
  await report(tenant.told, 'task.created', { id: '2', version: 1, status: 'pending', dueAt: day, assignedTo: '5' });
  await tenant.counted();
  return tenant;
}

it('finds nothing to correct in the sums that events led to, over random records', async () => {
  const tenant = await aFilledTenant(7);
  const before = await sumsOf(tenant);
  expect(before[0]?.length).toBeGreaterThan(100);
  expect(await rebuilt(tenant)).toBe(0);
  expect(await sumsOf(tenant)).toEqual(before);
}, 60_000);

it('corrects sums that are wrong, missing or too many, once, and those of no other tenant', async () => {
  const [tenant, other] = [await aFilledTenant(11), await aFilledTenant(12)];
  const before = [await sumsOf(tenant), await sumsOf(other)];
  const { caller } = tenant.api;
  await service.sqlWithin(
    caller,
    `UPDATE measure SET count = count + 3 WHERE name IN ('leads.new', 'partners.status')`,
  );
  await service.sqlWithin(caller, `UPDATE measure SET count = 0, amount = 0 WHERE name LIKE 'opportunities.%'`);
  await service.sqlWithin(caller, `UPDATE measure SET count = 0 WHERE name = 'engagement.link_click'`);
  await service.sqlWithin(
    caller,
    `INSERT INTO measure (name, day, value, user_id, team_id, count) VALUES ('tasks.due', '2020-01-01', '', 5, 0, 4),
      ('engagement.email_sent', '2025-12-31', 'again', 0, 0, 7)`,
  );
  expect(await rebuilt(tenant)).toBeGreaterThan(10);
  expect([await sumsOf(tenant), await sumsOf(other)]).toEqual(before);
  expect(await rebuilt(tenant)).toBe(0);
}, 60_000);

it('waits until the records are counted again after a change of the time zone', async () => {
  const tenant = await aFilledTenant(13);
  await reportTimezone(tenant.told, 'Asia/Tokyo', 1);
  await tenant.counted();
  const body = { part: 'sums', after: null } as const;
  const caller = { ...tenant.api.caller, type: 'system' as const };
  await service.sqlWithin(tenant.api.caller, `UPDATE counting SET timezone_before = 'UTC'`);
  expect((await service.send(internalRebuilds.rebuildCounts, { body }, caller)).status).toBe(409);
}, 60_000);
