import { readFile } from 'node:fs/promises';
import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from './analytics.test-service.ts';
import { report } from './records.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

type Api = ReturnType<Analytics['as']>;

const migration = '20261129053926_totals_of_earlier_measures';
const backfill = new URL(`../prisma/migrations/${migration}/migration.sql`, import.meta.url);
const timestamp = '2026-03-05T10:00:00.000Z';

it('the backfill totals the sums of earlier releases, once, also those that such a release changes meanwhile', async () => {
  const apis = [service.as(), service.as()] as const;
  const within = (statement: string) => Promise.all(apis.map(({ caller }) => service.sqlWithin(caller, statement)));
  const seen = () => Promise.all(apis.flatMap((api) => [undefined, '8', '9'].map((teamId) => dashboard(api, teamId))));
  for (const api of apis) await reportLeads(api, 1);
  const before = await seen();
  expect(before[1]).toMatchObject({ leads: { new: 2 }, engagement: { sent: 1 } });

  await within('UPDATE measure SET is_totalled = false');
  await within('DELETE FROM measure_total');
  // Sums that were not totalled yet change, and others begin.
  for (const api of apis) await reportLeads(api, 2);
  const tables = ['measure', 'measure_total'];
  for (const table of tables) await service.sql(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
  for (const _ of [1, 2]) await service.sql(await readFile(backfill, 'utf8'));
  for (const table of tables) await service.sql(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);

  for (const api of apis) await reportLeads(api, 3);
  expect((await seen()).map(({ leads, engagement }) => [leads.new, engagement.sent])).toEqual(
    before.map(({ leads, engagement }) => [3 * leads.new, 3 * engagement.sent]),
  );
  expect(await within(sumsOf('measure', 'true'))).toEqual(await within(sumsOf('measure_total', 'team_id = 0')));
  expect(await within(sumsOf('measure', 'team_id = 8'))).toEqual(await within(sumsOf('measure_total', 'team_id = 8')));
});

/** New leads of two teams and of none, most of them with an event. */
async function reportLeads(api: Api, round: number): Promise<void> {
  const tenantId = api.caller.tenantId as number;
  for (const [n, teamId] of ['8', '8', '9', null].entries()) {
    const id = String(10 * round + n);
    const record = { id, version: 1, createdAt: timestamp, teamId, assignedTo: String(n + 1) };
    await report({ service, tenantId }, 'lead.created', record, { data: { email: `${id}@b.example`, source: 'web' } });
  }
  await until('the leads are counted', async () => {
    const [counted] = await service.sqlWithin(api.caller, 'SELECT count(*)::int AS leads FROM lead_fact');
    return counted?.['leads'] === 4 * round;
  });
  for (const n of [0, 2, 3])
    await api.recordEvent({ body: { eventType: 'email_sent', leadId: String(10 * round + n), timestamp } });
}

async function dashboard(api: Api, teamId?: string) {
  const query = { dateFrom: '2026-03-05', dateTo: '2026-03-05', ...(teamId && { teamId }) };
  return (await api.getDashboard({ query })).data;
}

const sumsOf = (table: string, condition: string) =>
  `SELECT name, day::text, value, sum(count)::int AS count, sum(amount)::float8 AS amount FROM ${table} WHERE ${condition}
  GROUP BY 1, 2, 3 HAVING sum(count) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3`;
