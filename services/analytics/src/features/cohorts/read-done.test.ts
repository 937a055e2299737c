import { createTenantDb } from '@tandem/tenant-db';
import type { testSettings } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { Prisma, PrismaClient } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readMembers } from '../cohort-definitions/members.ts';
import { readInteger, readTime, rowBytes } from '../timelines/timeline.ts';
import { readDone } from './read-done.ts';
import { readBeginnings } from './read-rows.ts';

const scope = { tenantId: 1, environment: 'live' } as const;
const dayMs = 86_400_000;
const monday = Date.UTC(2026, 2, 2);
// More than those whose ids are sent to PostgreSQL.
const manyLeads = 20_500;
const [weeks, periods] = [3, 4];

let service: Analytics;
let db: ReturnType<typeof open>;
const open = ({ DATABASE_URL: url }: Awaited<ReturnType<typeof testSettings>>) =>
  createTenantDb({ url, client: (adapter) => new PrismaClient({ adapter }), prisma: Prisma });
beforeAll(async () => {
  service = await startAnalytics({}, { onSettings: (settings) => (db = open(settings)) });
  await insertLeads();
});
afterAll(async () => {
  await db?.close();
  await service?.close();
});

/** Leads that are created on the days of three weeks, the first ten of them of user 7; each acts three times a week later. */
async function insertLeads(): Promise<void> {
  // Triggers look at each event.
  await service.sql('ALTER TABLE engagement_event DISABLE TRIGGER USER');
  const caller = { ...service.as().caller, ...scope };
  await service.sqlWithin(
    caller,
    `INSERT INTO lead_fact (id, version, is_deleted, timezone, user_id, created_at)
     SELECT n, 1, false, 'UTC', CASE WHEN n <= 10 THEN 7 END, $1::timestamptz + n % $2::int * interval '1 day'
     FROM generate_series(1, $3::int) AS n`,
    [new Date(monday), weeks * 7, manyLeads],
  );
  await service.sqlWithin(
    caller,
    `INSERT INTO engagement_event (type, lead_id, timestamp)
     SELECT 'page_visit', id, created_at + interval '7 days' + n * interval '1 minute'
     FROM lead_fact, generate_series(1, 3) AS n`,
  );
}

it.each([
  ['few', 7, 10],
  ['many', undefined, manyLeads],
])(
  'the engagement of %s leads is one row for each of them and interval, whatever others do',
  async (_, userId, count) => {
    const boundaries = Float64Array.from({ length: weeks + periods + 1 }, (__, week) => monday + week * 7 * dayMs);
    const { leads, done } = await db.within(scope, async () => {
      const tx = db.tx as Tx;
      const members = await readMembers(tx, undefined);
      const [from, to] = [new Date(monday), new Date(boundaries[weeks] as number)];
      const begun = { from, to, cohortBy: 'created' as const, owner: { userId, teamId: undefined }, members };
      const read = await readBeginnings(tx, begun, { sources: [], max: count });
      const analysis = { begun, leads: read, boundaries, periods, metric: 'retained', currency: undefined } as const;
      return { leads: read, done: (await readDone(tx, { ...analysis, max: count })).rows };
    });
    expect(leads.byteLength / rowBytes).toBe(count);
    const weekAfter = (id: number) => monday + (1 + Math.floor((id % (weeks * 7)) / 7)) * 7 * dayMs;
    const expected = Array.from({ length: count }, (__, index) => [index + 1, weekAfter(index + 1)]);
    expect(rowsOf(done).sort(([one = 0], [other = 0]) => one - other)).toEqual(expected);
  },
);

/** The lead and the time of each row. */
function rowsOf(packed: Buffer): number[][] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: packed.byteLength / rowBytes }, (_, row) => [
    readInteger(view, row * rowBytes),
    readTime(view, row * rowBytes + 8),
  ]);
}
