import type { CohortQuery } from '@tandem/analytics-contract';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import type { Owner } from '../dashboard/sums.ts';
import { touchTypes } from '../events/first-touch.ts';

type Query = z.output<typeof CohortQuery>;

/** From a time on, and before another one. */
interface Range {
  from: Date;
  to: Date;
}

/** The leads that an analysis is about, by the time at which they began. */
export interface Begun extends Range {
  cohortBy: Query['cohortBy'];
  owner: Owner;
  members: Members;
}

/** A selection of the engagement, conversions or deals of leads within a range of time. */
export interface Deeds {
  begun: Begun;
  /** The ids of the leads, if they are few. Otherwise they are selected again. */
  leadIds?: readonly number[] | undefined;
  within: Range;
  /** The beginnings of intervals. A lead has one row for each interval in which it did something. */
  boundaries: Float64Array;
}

/** Packed rows (timeline.ts); the value of a row is the position of its amount. */
export interface Packed {
  rows: Buffer;
  amounts: Float64Array;
}

/** The sources of leads that begin in a period, those with most leads first; null for leads without one. */
export async function readSources(
  tx: Tx,
  { from, to }: Range,
  { owner, members, max }: { owner: Owner; members: Members; max: number },
): Promise<(string | null)[]> {
  const { userId = null, teamId = null } = owner;
  const rows = await tx.adHocSql<{ source: string | null }>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query})
    SELECT source FROM lead_fact WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz AND NOT is_deleted
      AND ${members.has(fragment`id`)}
      AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
      AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
    GROUP BY source ORDER BY count(*) DESC, source LIMIT ${max}::int`;
  return rows.map(({ source }) => source);
}

/** When leads began, with the position of their source in `sources`; -1 for other sources. */
export async function readBeginnings(
  tx: Tx,
  begun: Begun,
  { sources, max }: { sources: readonly (string | null)[]; max: number },
): Promise<Buffer> {
  const { rows } = await selectPacked(tx, begun, {
    columns: fragment`id, at, coalesce(array_position((SELECT sources FROM given), source), 0) - 1 AS value, NULL::numeric AS amount`,
    table: fragment`begun`,
    at: fragment`at`,
    within: begun,
    rest: fragment``,
    given: { sources },
    max,
  });
  return rows;
}

/** Engagement of people. */
export function readEngagement(tx: Tx, deeds: Deeds, max: number): Promise<Packed> {
  const at = fragment`timestamp`;
  return selectDeeds(tx, deeds, {
    columns: fragment`DISTINCT lead_id AS id, ${intervalOf(at)} AS at, 0 AS value, NULL::numeric AS amount`,
    table: fragment`engagement_event`,
    lead: fragment`lead_id`,
    at,
    rest: fragment`AND type = ANY((SELECT types FROM given)::text[]) AND NOT automated`,
    given: { types: touchTypes },
    max,
  });
}

export function readConversions(tx: Tx, deeds: Deeds, max: number): Promise<Packed> {
  return selectDeeds(tx, deeds, {
    columns: fragment`lead.id, converted_at AS at, 0 AS value, NULL::numeric AS amount`,
    table: fragment`lead_fact AS lead`,
    lead: fragment`lead.id`,
    at: fragment`converted_at`,
    rest: fragment`AND NOT is_deleted`,
    given: {},
    max,
  });
}

/** The value of won deals. */
export function readRevenue(
  tx: Tx,
  deeds: Deeds,
  { currency, max }: { currency: string; max: number },
): Promise<Packed> {
  const at = fragment`closed_at`;
  return selectDeeds(tx, deeds, {
    columns: fragment`lead_id AS id, ${intervalOf(at)} AS at, (row_number() OVER () - 1)::int AS value, sum(deal.value) AS amount`,
    table: fragment`opportunity_fact AS deal`,
    lead: fragment`lead_id`,
    at,
    rest: fragment`AND NOT is_deleted AND status = 'won' AND currency = (SELECT currency FROM given) GROUP BY 1, 2`,
    given: { currency },
    max,
  });
}

/** The beginning of the interval of a time. */
function intervalOf(at: Fragment): Fragment {
  return fragment`(SELECT boundaries FROM given)[width_bucket(${at}, (SELECT boundaries FROM given))]`;
}

interface Selection {
  columns: Fragment;
  /** The table that is read; `begun` has the leads. */
  table: Fragment;
  /** The columns of the table with the lead, by which it is limited to leads, and with the time. */
  lead?: Fragment;
  at: Fragment;
  within: Range;
  /** More conditions, and the grouping. */
  rest: Fragment;
  /** The values of `columns` and `rest`, because a fragment has none. */
  given: object;
  leadIds?: readonly number[] | undefined;
  max: number;
}

function selectDeeds(
  tx: Tx,
  { begun, leadIds, within, boundaries }: Deeds,
  { given, ...selection }: Omit<Selection, 'within' | 'leadIds'>,
): Promise<Packed> {
  const starts = Array.from(boundaries, (time) => new Date(time));
  return selectPacked(tx, begun, { ...selection, within, leadIds, given: { ...given, boundaries: starts } });
}

const packed = fragment`string_agg(int8send(id) || timestamptz_send(at) || int4send(value), ''::bytea) AS rows,
  array_agg(amount ORDER BY value) FILTER (WHERE amount IS NOT NULL)::float8[] AS amounts`;

/**
 * Selects rows, of which one more than `max` is returned if there are more. The leads are no materialized set: where PostgreSQL
 * expects few of them, it would search the whole set for each row.
 */
async function selectPacked(
  tx: Tx,
  { from, to, cohortBy, owner, members }: Begun,
  { columns, table, lead, at, within, rest, given, leadIds, max }: Selection,
): Promise<Packed> {
  const { userId = null, teamId = null } = owner;
  const isByTouch = cohortBy === 'first_touch';
  const beginning = isByTouch ? fragment`first_touch.at` : fragment`created_at`;
  const leads = isByTouch ? fragment`first_touch JOIN lead_fact ON id = lead_id` : fragment`lead_fact`;
  const isOfBegun = lead !== undefined && !leadIds;
  // Without ids, the condition is always met. Its text differs then, so that each statement has a plan of its own.
  const limit = lead && leadIds ? { column: lead, ids: leadIds } : { column: fragment`0`, ids: [0] };
  const [read] = await tx.adHocSql<{ rows: Buffer | null; amounts: number[] | null }>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query}),
    given AS MATERIALIZED (SELECT * FROM jsonb_to_record(${JSON.stringify(given)}::jsonb)
      AS row (sources text[], types text[], currency text, boundaries timestamptz[])),
    begun AS NOT MATERIALIZED (
      SELECT id, ${beginning} AS at, source FROM ${leads}
      WHERE ${beginning} >= ${from}::timestamptz AND ${beginning} < ${to}::timestamptz AND NOT is_deleted AND ${members.has(fragment`id`)}
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint))
    SELECT ${packed} FROM (
      SELECT ${columns} FROM ${table} ${isOfBegun ? fragment`JOIN begun ON begun.id = ${lead}` : fragment``}
      WHERE ${at} >= ${within.from}::timestamptz AND ${at} < ${within.to}::timestamptz
        AND ${limit.column} = ANY(${limit.ids}::bigint[]) ${rest}
      LIMIT ${max + 1}::int) AS row`;
  return { rows: read?.rows ?? Buffer.alloc(0), amounts: Float64Array.from(read?.amounts ?? []) };
}
