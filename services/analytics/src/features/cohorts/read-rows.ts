import type { CohortQuery } from '@tandem/analytics-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import type { Owner } from '../dashboard/sums.ts';
import { touchTypes } from '../events/first-touch.ts';

type Query = z.output<typeof CohortQuery>;

/** From a time on, and before another one. */
export interface Range {
  from: Date;
  to: Date;
}

interface Packed {
  rows: Buffer | null;
}

const packed = fragment`string_agg(int8send(id) || int8send((extract(epoch FROM at) * 1000)::bigint) || int4send(value), ''::bytea) AS rows`;

/** The sources of leads that begin in a period, those with most leads first; null for leads without one. */
export async function readSources(
  tx: Tx,
  { from, to }: Range,
  { members, max }: { members: Members; max: number },
): Promise<(string | null)[]> {
  const rows = await tx.sql<{ source: string | null }>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query})
    SELECT source FROM lead_fact WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz AND NOT is_deleted
      AND ${members.has(fragment`id`)}
    GROUP BY source ORDER BY count(*) DESC, source LIMIT ${max}::int`;
  return rows.map(({ source }) => source);
}

/** When leads began, with the position of their source in `sources`. */
export async function readBeginnings(
  tx: Tx,
  { from, to }: Range,
  {
    cohortBy,
    owner,
    members,
    sources,
    max,
  }: { cohortBy: Query['cohortBy']; owner: Owner; members: Members; sources: readonly (string | null)[]; max: number },
): Promise<Buffer> {
  const { userId = null, teamId = null } = owner;
  const isByTouch = cohortBy === 'first_touch';
  const at = isByTouch ? fragment`first_touch.at` : fragment`created_at`;
  const table = isByTouch ? fragment`first_touch JOIN lead_fact ON id = lead_id` : fragment`lead_fact`;
  const [read] = await tx.sql<Packed>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query})
    SELECT ${packed} FROM (
      SELECT id, ${at} AS at, coalesce(array_position(${[...sources]}::text[], source), 1) - 1 AS value
      FROM ${table}
      WHERE ${at} >= ${from}::timestamptz AND ${at} < ${to}::timestamptz AND NOT is_deleted AND ${members.has(fragment`id`)}
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
      LIMIT ${max + 1}::int) AS lead`;
  return read?.rows ?? Buffer.alloc(0);
}

/** Engagement of people. */
export async function readEngagement(tx: Tx, { from, to }: Range, max: number): Promise<Buffer> {
  const [read] = await tx.sql<Packed>`
    SELECT ${packed} FROM (
      SELECT lead_id AS id, timestamp AS at, 0 AS value FROM engagement_event
      WHERE type = ANY(${[...touchTypes]}::text[]) AND NOT automated AND lead_id IS NOT NULL
        AND timestamp >= ${from}::timestamptz AND timestamp < ${to}::timestamptz
      LIMIT ${max + 1}::int) AS event`;
  return read?.rows ?? Buffer.alloc(0);
}

export async function readConversions(tx: Tx, { from, to }: Range, max: number): Promise<Buffer> {
  const [read] = await tx.sql<Packed>`
    SELECT ${packed} FROM (
      SELECT id, converted_at AS at, 0 AS value FROM lead_fact
      WHERE converted_at >= ${from}::timestamptz AND converted_at < ${to}::timestamptz AND NOT is_deleted
      LIMIT ${max + 1}::int) AS lead`;
  return read?.rows ?? Buffer.alloc(0);
}

/** Won deals of leads; the value of a row is the position of its amount. */
export async function readRevenue(
  tx: Tx,
  { from, to }: Range,
  { currency, max }: { currency: string; max: number },
): Promise<{ rows: Buffer; amounts: Float64Array }> {
  const [read] = await tx.sql<Packed & { amounts: number[] | null }>`
    SELECT ${packed}, array_agg(amount ORDER BY value)::float8[] AS amounts FROM (
      SELECT lead_id AS id, closed_at AS at, value AS amount, (row_number() OVER () - 1)::int AS value
      FROM opportunity_fact
      WHERE closed_at >= ${from}::timestamptz AND closed_at < ${to}::timestamptz AND NOT is_deleted AND status = 'won'
        AND lead_id IS NOT NULL AND currency = ${currency}
      LIMIT ${max + 1}::int) AS deal`;
  return { rows: read?.rows ?? Buffer.alloc(0), amounts: Float64Array.from(read?.amounts ?? []) };
}
