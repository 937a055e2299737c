import { fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import { present } from '../counting/index.ts';
import { eventValue } from '../events/count-events.ts';
import { noSource } from '../facts/lead-fact.ts';
import type { Period } from './period.ts';
import type { Owner, Sum } from './sums.ts';

const eventsMax = 3_000_000;

/** Which leads are counted: those of a cohort that belong to the owner. */
interface Counted {
  owner: Owner;
  members: Members;
}

/**
 * The sums of the days of a period, counted from the facts of the leads of a cohort, their opportunities and their events, because
 * the sums that are kept do not know cohorts. Call it where many rows may be read.
 * @throws ApiError `too_many_events`
 */
export async function sumsOfCohort(tx: Tx, { from, to, timezone }: Period, counted: Counted): Promise<Sum[]> {
  const { given, query, has } = counted.members;
  const { userId = null, teamId = null } = counted.owner;
  const rows = await tx.sql<Sum & { events: number }>`
    WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given), member AS MATERIALIZED (${query}),
    zone AS MATERIALIZED (SELECT ${timezone}::text AS name, ${from}::timestamptz AS since, ${to}::timestamptz AS until),
    lead AS MATERIALIZED (
      SELECT created_at, converted_at, coalesce(source, ${noSource}) AS source FROM lead_fact
      WHERE ${has(fragment`id`)} AND NOT is_deleted AND created_at IS NOT NULL
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    deal AS MATERIALIZED (
      SELECT status, coalesce(currency, '') AS currency, coalesce(value, 0) AS value, created_at, closed_at FROM opportunity_fact
      WHERE ${has(fragment`lead_id`)} AND NOT is_deleted AND version >= 0
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    event AS MATERIALIZED (
      SELECT type, timestamp, ${eventValue} AS value FROM engagement_event
      WHERE timestamp >= ${from}::timestamptz AND timestamp < ${to}::timestamptz AND ${has(fragment`lead_id`)}
        AND (${userId}::bigint IS NULL OR assigned_to = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
      LIMIT ${eventsMax + 1}::int),
    counted (name, at, value, amount) AS (
      SELECT 'leads.new', created_at, source, 0 FROM lead
      UNION ALL SELECT 'leads.converted', created_at, source, 0 FROM lead WHERE converted_at IS NOT NULL
      UNION ALL SELECT 'leads.conversions', converted_at, '', 0 FROM lead
      UNION ALL SELECT 'opportunities.new', created_at, '', 0 FROM deal
      UNION ALL SELECT 'opportunities.' || status, closed_at, currency, value FROM deal WHERE status IN ('won', 'lost')
      UNION ALL SELECT 'opportunities.cycle', closed_at, '', greatest(0, coalesce(extract(epoch FROM closed_at - created_at), 0))
        FROM deal WHERE status = 'won'
      UNION ALL SELECT 'engagement.' || type, timestamp, value, 0 FROM event)
    SELECT counted.name, to_char(at AT TIME ZONE zone.name, 'YYYY-MM-DD') AS day, value,
      count(*)::float8 AS count, sum(amount)::float8 AS amount, (SELECT count(*) FROM event)::float8 AS events
    FROM counted CROSS JOIN zone WHERE at >= since AND at < until GROUP BY 1, 2, 3`;
  if ((rows[0]?.events ?? 0) > eventsMax) throw fail('too_many_events');
  return rows.map(({ events, ...sum }) => sum);
}

/** The sums of the present of the leads of a cohort and their opportunities. */
export async function cohortSumsOfNow(tx: Tx, counted: Counted): Promise<Sum[]> {
  const { given, query, has } = counted.members;
  const { userId = null, teamId = null } = counted.owner;
  const rows = await tx.sql<Omit<Sum, 'day'>>`
    WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given), member AS MATERIALIZED (${query}),
    lead AS MATERIALIZED (
      SELECT coalesce(status, '') AS status, coalesce(source, ${noSource}) AS source FROM lead_fact
      WHERE ${has(fragment`id`)} AND NOT is_deleted AND version >= 0
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    deal AS MATERIALIZED (
      SELECT coalesce(status, '') AS status, coalesce(currency, '') AS currency, coalesce(value, 0) AS value FROM opportunity_fact
      WHERE ${has(fragment`lead_id`)} AND NOT is_deleted AND version >= 0
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    counted (name, value, amount) AS (
      SELECT 'leads.status', status, 0 FROM lead
      UNION ALL SELECT 'leads.source', source, 0 FROM lead
      UNION ALL SELECT 'opportunities.status', status, 0 FROM deal
      UNION ALL SELECT 'opportunities.pipeline', currency, value FROM deal WHERE status = 'open')
    SELECT name, value, count(*)::float8 AS count, sum(amount)::float8 AS amount FROM counted GROUP BY 1, 2`;
  return rows.map((row) => ({ ...row, day: present }));
}
