import { fail } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import { present } from '../counting/index.ts';
import { countedEvents } from '../events/count-events.ts';
import { commissionFacts } from '../facts/commission-fact.ts';
import { leadFacts } from '../facts/lead-fact.ts';
import { opportunityFacts } from '../facts/opportunity-fact.ts';
import { taskFacts } from '../facts/task-fact.ts';
import type { Period } from './period.ts';
import type { Owner, Sum } from './sums.ts';

// A statement reads so many rows in about three seconds.
const rowsMax = 3_000_000;

/** Which records are counted: those of the owner, and of the leads of the cohort if one is given. */
interface Counting {
  owner: Owner;
  members: Members;
}

/**
 * The sums of the days of a period in any time zone, and of any cohort, which the sums that are kept do not know: counted from the
 * facts and events themselves. Call it where many rows may be read.
 * @throws ApiError `too_many_events`
 */
export const sumsOfLeads = (tx: Tx, period: Period, counting: Counting): Promise<Sum[]> =>
  datedSums(tx, period, {
    ...counting,
    counted: fragment`${leadFacts.counted.dated} UNION ALL ${opportunityFacts.counted.dated} UNION ALL ${countedEvents}`,
  });

/** The same of tasks and commissions, which have no lead; commissions have no owner either. */
export async function otherSums(tx: Tx, period: Period, { owner, members }: Counting): Promise<Sum[]> {
  return [
    ...(await datedSums(tx, period, { owner, members, counted: taskFacts.counted.dated })),
    ...(await datedSums(tx, period, { owner: {}, members, counted: commissionFacts.counted.dated })),
  ];
}

/** The sums of the present of leads and their opportunities. */
export async function presentSumsOfLeads(tx: Tx, { owner, members }: Counting): Promise<Sum[]> {
  const { given, query, has } = members;
  const { userId = null, teamId = null } = owner;
  const rows = await tx.sql<Omit<Sum, 'day'>>`
    WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given), member AS MATERIALIZED (${query})
    SELECT name, value, count(*)::float8 AS count, sum(amount)::float8 AS amount
    FROM (${leadFacts.counted.present} UNION ALL ${opportunityFacts.counted.present}) AS counted
    WHERE ${has(fragment`lead_id`)} AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
      AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
    GROUP BY 1, 2`;
  return rows.map((row) => ({ ...row, day: present }));
}

async function datedSums(
  tx: Tx,
  { from, to, timezone }: Period,
  { counted, owner, members }: Counting & { counted: Fragment },
): Promise<Sum[]> {
  const { given, query, has } = members;
  const { userId = null, teamId = null } = owner;
  const rows = await tx.sql<Sum & { read: number }>`
    WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given), member AS MATERIALIZED (${query})
    SELECT name, to_char(counted.day, 'YYYY-MM-DD') AS day, value,
      count(*)::float8 AS count, sum(amount)::float8 AS amount, sum(count(*)) OVER ()::float8 AS read
    FROM (SELECT name, (at AT TIME ZONE ${timezone}::text)::date AS day, value, amount FROM (${counted}) AS record
      WHERE at >= ${from}::timestamptz AND at < ${to}::timestamptz AND ${has(fragment`lead_id`)}
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
      LIMIT ${rowsMax + 1}::int) AS counted
    GROUP BY name, counted.day, value`;
  if ((rows[0]?.read ?? 0) > rowsMax) throw fail('too_many_events');
  return rows.map(({ read, ...sum }) => sum);
}
