import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';
import type { Period } from '../dashboard/period.ts';
import type { Owner } from '../dashboard/sums.ts';
import type { FunnelCounts } from './evaluate.ts';

/** A stage of a pipeline that the funnel shows: those of open deals in their order, and winning as the last one. */
export interface Stage {
  code: string;
  isWon: boolean;
}

interface StepRow {
  n: number;
  count: number;
  median: number | null;
}

/**
 * How far the opportunities created in a period came. A deal that skips a stage counts in it from the time of the
 * next one. A deal that was won and reopened counts as won only if it is won now, as in the dashboard.
 */
export async function readOpportunityFunnel(
  tx: Tx,
  {
    period: { from, to },
    owner,
    members,
    pipelineId,
    stages,
  }: { period: Period; owner: Owner; members: Members; pipelineId: number; stages: readonly Stage[] },
): Promise<FunnelCounts> {
  const { userId = null, teamId = null } = owner;
  const order = JSON.stringify(stages.map(({ code, isWon }, n) => ({ code, n, is_won: isWon })));
  const last = stages.length - 1;
  const rows = await tx.adHocSql<StepRow & { pending: number }>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query}),
    stage AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${order}::jsonb) AS row (code text, n int, is_won boolean)),
    deal AS MATERIALIZED (
      SELECT id, created_at, closed_at, status, stage FROM opportunity_fact
      WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz AND NOT is_deleted AND ${members.has(fragment`lead_id`)}
        AND pipeline_id = ${pipelineId}::bigint
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)),
    entered AS (
      SELECT record_id AS id, n, at FROM step JOIN stage ON stage.code = step.value
        WHERE type = 'opportunity' AND NOT is_won AND record_id IN (SELECT id FROM deal)
      UNION ALL SELECT id, 0, created_at FROM deal
      UNION ALL SELECT id, n, NULL FROM deal JOIN stage ON stage.code = deal.stage
      UNION ALL SELECT id, ${last}::int, closed_at FROM deal WHERE status = 'won'),
    reached AS (
      -- A later stage counts for all stages before it.
      SELECT entered.id, stage.n, min(entered.at) AS at FROM entered JOIN stage ON entered.n >= stage.n GROUP BY entered.id, stage.n)
    SELECT now.n, count(*)::float8 AS count,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM now.at - before.at))::float8 AS median,
      (SELECT count(*)::float8 FROM deal WHERE status = 'open') AS pending
    FROM reached AS now LEFT JOIN reached AS before ON before.id = now.id AND before.n = now.n - 1
    GROUP BY now.n`;
  const byStep = new Map(rows.map((row) => [row.n, row]));
  return {
    counts: stages.map((_, n) => byStep.get(n)?.count ?? 0),
    medianSeconds: stages.map((_, n) => (n ? (byStep.get(n)?.median ?? null) : null)),
    pending: rows[0]?.pending ?? 0,
  };
}
