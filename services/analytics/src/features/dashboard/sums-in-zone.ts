import { failField } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { type Count, countingIn } from '../counting/index.ts';
import { eventValue } from '../events/count-events.ts';
import { commissionFacts } from '../facts/commission-fact.ts';
import type { FactKind } from '../facts/fact.ts';
import { leadFacts } from '../facts/lead-fact.ts';
import { opportunityFacts } from '../facts/opportunity-fact.ts';
import { taskFacts } from '../facts/task-fact.ts';
import type { Period } from './period.ts';
import type { Owner, Reading, Sum } from './sums.ts';

// The most records of one kind, and the most events, that are counted for a time zone other than that of the tenant.
const recordsMax = 50_000;
const eventsMax = 500_000;
const pageMax = 5_000;

/** The facts whose time in a column is in a period. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has facts of its own.
const dated: { kind: FactKind<any>; columns: Fragment[]; hasOwner: boolean; isOfLeads?: true }[] = [
  { kind: leadFacts, columns: [fragment`created_at`, fragment`converted_at`], hasOwner: true, isOfLeads: true },
  { kind: opportunityFacts, columns: [fragment`created_at`, fragment`closed_at`], hasOwner: true, isOfLeads: true },
  { kind: commissionFacts, columns: [fragment`created_at`], hasOwner: false },
  { kind: taskFacts, columns: [fragment`completed_at`], hasOwner: true },
];

/**
 * The sums of the days of a period in any time zone, counted from the records themselves.
 * @throws ApiError 422 for a period with too many records
 */
export async function sumsInZone(tx: Tx, period: Period, { owner, withoutLeads }: Reading): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  for (const { kind, columns, hasOwner, isOfLeads } of dated) {
    if (withoutLeads && isOfLeads) continue;
    const ids = await idsWithin(tx, kind, columns, period);
    for (let at = 0; at < ids.length; at += pageMax) {
      const facts = await kind.find(tx, ids.slice(at, at + pageMax));
      for (const fact of facts) {
        if (fact.version < 0 || fact.isDeleted) continue;
        for (const count of kind.counts(fact, countingIn(period.timezone)))
          if (!hasOwner || isOf(owner, count)) addTo(sums, count, period);
      }
    }
  }
  return [...sums.values(), ...(withoutLeads ? [] : await eventsWithin(tx, period, owner))];
}

async function idsWithin(tx: Tx, { table }: FactKind, columns: Fragment[], { from, to }: Period): Promise<number[]> {
  const found = new Set<number>();
  for (const column of columns) {
    const rows = await tx.sql<{ id: number }>`
      SELECT id FROM ${table} WHERE ${column} >= ${from}::timestamptz AND ${column} < ${to}::timestamptz
      LIMIT ${recordsMax + 1}::int`;
    for (const { id } of rows) found.add(id);
    if (found.size > recordsMax) throw tooMany();
  }
  return [...found];
}

/** Engagement events of the period by day. */
async function eventsWithin(tx: Tx, { from, to, timezone }: Period, owner: Owner): Promise<Sum[]> {
  const { userId = null, teamId = null } = owner;
  const rows = await tx.sql<Sum & { read: number }>`
    SELECT 'engagement.' || type AS name, to_char(timestamp AT TIME ZONE ${timezone}, 'YYYY-MM-DD') AS day,
      ${eventValue} AS value,
      count(*)::float8 AS count, 0::float8 AS amount, sum(count(*)) OVER ()::float8 AS read
    FROM (SELECT type, timestamp, automated, is_first, is_opening FROM engagement_event
      WHERE timestamp >= ${from}::timestamptz AND timestamp < ${to}::timestamptz
        AND (${userId}::bigint IS NULL OR assigned_to = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
      LIMIT ${eventsMax + 1}::int) AS event
    GROUP BY 1, 2, 3`;
  if ((rows[0]?.read ?? 0) > eventsMax) throw tooMany();
  return rows.map(({ read, ...sum }) => sum);
}

function isOf({ userId, teamId }: Owner, count: Count): boolean {
  return (userId === undefined || count.userId === userId) && (teamId === undefined || count.teamId === teamId);
}

function addTo(sums: Map<string, Sum>, { name, day, value = '', count, amount = 0 }: Count, { first, last }: Period) {
  if (day === undefined || day < first || day > last) return;
  const key = JSON.stringify([name, day, value]);
  const sum = sums.get(key) ?? { name, day, value, count: 0, amount: 0 };
  sums.set(key, { ...sum, count: sum.count + count, amount: sum.amount + amount });
}

function tooMany() {
  return failField(
    'timezone',
    'The period has too many records to be counted in another time zone than that of the tenant; choose a shorter one',
  );
}
