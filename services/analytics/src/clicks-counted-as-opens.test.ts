import { readFile } from 'node:fs/promises';
import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from './analytics.test-service.ts';
import { reportTimezone } from './records.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

type Api = ReturnType<Analytics['as']>;

const backfill = new URL('../prisma/migrations/20261129020644_clicks_counted_as_opens/migration.sql', import.meta.url);
const tables = ['engagement_event', 'engagement_key', 'measure', 'measure_total', 'counting'];

it('the backfill counts earlier clicks of unopened messages as opens, once, by the days of each tenant', async () => {
  const apis = [service.as(), service.as()] as const;
  await reportTimezone({ service, tenantId: apis[1].caller.tenantId as number }, 'Asia/Tokyo', 1);
  await until('the zone is known', async () => (await apis[1].getDashboard()).data.period.timezone === 'Asia/Tokyo');
  // In Tokyo it is 6 March already.
  const timestamp = '2026-03-05T20:00:00.000Z';
  const record = async (api: Api, eventType: string, messageId: string) => {
    const body = { eventType, leadId: '1', messageId, timestamp };
    expect((await api.recordEvent({ body })).status).toBe(201);
  };
  const opensOf = async (api: Api, dateTo: string) => {
    const { data } = await api.getDashboard({ query: { dateFrom: '2026-03-01', dateTo } });
    return [data.engagement.uniqueOpens, data.engagement.uniqueClicks, data.engagement.clicks];
  };
  const seen = () => Promise.all(apis.flatMap((api) => [opensOf(api, '2026-03-05'), opensOf(api, '2026-03-06')]));
  const sums = () => Promise.all(apis.map(({ caller }) => service.sqlWithin(caller, sumsOfClicks)));
  for (const api of apis) {
    for (const type of ['email_open', 'link_click']) await record(api, type, 'opened');
    for (const message of ['clicked', 'clicked', 'other']) await record(api, 'link_click', message);
  }
  const before = { seen: await seen(), sums: await sums() };
  const counted = [3, 3, 4];
  expect(before.seen).toEqual([counted, counted, [0, 0, 0], counted]);

  for (const { caller } of apis) for (const statement of asEarlierRelease) await service.sqlWithin(caller, statement);
  expect(await opensOf(apis[0], '2026-03-05')).toEqual([1, 3, 4]);
  // The migration sees the rows of all tenants.
  for (const table of tables) await service.sql(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
  for (const _ of [1, 2]) await service.sql(await readFile(backfill, 'utf8'));
  for (const table of tables) await service.sql(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  expect({ seen: await seen(), sums: await sums() }).toEqual(before);

  for (const message of ['opened', 'clicked', 'other'])
    for (const type of ['email_open', 'link_click']) await record(apis[0], type, message);
  expect(await opensOf(apis[0], '2026-03-05')).toEqual([3, 3, 7]);
});

const sumsOfClicks = `SELECT day::text, value, sum(count)::int AS count FROM measure WHERE name = 'engagement.link_click'
  GROUP BY 1, 2 HAVING sum(count) <> 0 ORDER BY 1, 2`;

/** Changes what was recorded to what the release before would have stored. */
const asEarlierRelease = [
  'UPDATE engagement_event SET is_opening = NULL',
  `UPDATE engagement_key SET key = 'first email_open' || substring(key FROM length('opened') + 1)
    WHERE key LIKE 'opened %' AND event_id IN (SELECT id FROM engagement_event WHERE type = 'email_open')`,
  `DELETE FROM engagement_key WHERE key LIKE 'opened %'`,
  `WITH opening AS (SELECT * FROM measure WHERE value = 'opening'),
    emptied AS (UPDATE measure SET count = 0 WHERE value = 'opening')
    INSERT INTO measure (day, name, value, user_id, team_id, shard, count)
    SELECT day, name, 'first', user_id, team_id, shard, count FROM opening
    ON CONFLICT (tenant_id, environment, name, day, value, user_id, team_id, shard)
      DO UPDATE SET count = measure.count + excluded.count`,
];
