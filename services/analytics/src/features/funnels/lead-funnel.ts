import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import type { Period } from '../dashboard/period.ts';
import type { Owner } from '../dashboard/sums.ts';
import type { FunnelCounts } from './evaluate.ts';

/** The steps of the funnel of leads. */
export const leadSteps = ['new', 'contacted', 'qualified', 'converted'] as const;

interface Counts {
  counts: number[];
  medians: (number | null)[];
  pending: number;
}

/**
 * How far the leads created in a period came. A lead that skips a status counts in it from the time of the next one; a lead whose
 * changes are not known, because they happened before leads were counted, by the status that it has now.
 */
export async function readLeadFunnel(
  tx: Tx,
  { from, to }: Period,
  { owner, members }: { owner: Owner; members: Members },
): Promise<FunnelCounts> {
  const { userId = null, teamId = null } = owner;
  const [row] = await tx.adHocSql<Counts>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query}),
    lead AS MATERIALIZED (
      SELECT id, created_at, converted_at, status FROM lead_fact
      WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz AND NOT is_deleted AND ${members.has(fragment`id`)}
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    changed AS MATERIALIZED (
      SELECT record_id, min(at) FILTER (WHERE value = 'contacted') AS contacted, min(at) FILTER (WHERE value = 'qualified') AS qualified
      FROM step WHERE type = 'lead' AND record_id IN (SELECT id FROM lead) GROUP BY record_id),
    reached AS (
      SELECT lead.*, least(changed.qualified, converted_at) AS qualified_at,
        least(changed.contacted, changed.qualified, converted_at) AS contacted_at
      FROM lead LEFT JOIN changed ON record_id = id),
    known AS (
      SELECT *, qualified_at IS NOT NULL OR status = 'qualified' AS is_qualified,
        contacted_at IS NOT NULL OR status IN ('contacted', 'qualified') AS is_contacted FROM reached)
    SELECT ARRAY[count(*), count(*) FILTER (WHERE is_contacted), count(*) FILTER (WHERE is_qualified), count(converted_at)]::float8[] AS counts,
      ARRAY[NULL,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM contacted_at - created_at)),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM qualified_at - contacted_at)),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM converted_at - qualified_at))]::float8[] AS medians,
      (count(*) FILTER (WHERE converted_at IS NULL AND status <> 'unqualified'))::float8 AS pending
    FROM known`;
  const { counts, medians, pending } = row as Counts;
  return { counts, medianSeconds: medians, pending };
}
