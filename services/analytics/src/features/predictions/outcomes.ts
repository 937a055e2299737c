import { outcomesMin, outcomesOfKindMin } from '@tandem/analytics-contract';
import type { Tx } from '../../handler.ts';

/** What became of a lead, and when. */
export interface ClosedLead {
  leadId: number;
  at: Date;
  converted: boolean;
}

/**
 * The leads with a known outcome, the latest first. A lead is converted when it was converted to an opportunity, or when a deal of
 * it was won. It is lost when it is unqualified, or when it has lost deals and no open ones. Other leads are open. Deleted leads,
 * and unqualified ones whose time is not known, are left out.
 * @param max how many are read of each kind
 */
export function readOutcomes(tx: Tx, max: number): Promise<ClosedLead[]> {
  return tx.sql<ClosedLead>`
    WITH candidate AS (
      (SELECT id FROM lead_fact WHERE converted_at IS NOT NULL ORDER BY converted_at DESC LIMIT ${max}::bigint)
      UNION
      (SELECT lead_id FROM opportunity_fact WHERE closed_at IS NOT NULL AND lead_id IS NOT NULL
        ORDER BY closed_at DESC LIMIT ${max}::bigint)
      UNION
      (SELECT record_id FROM step WHERE type = 'lead' AND value = 'unqualified' ORDER BY at DESC LIMIT ${max}::bigint)),
    known AS (
      SELECT lead.id, least(lead.converted_at, deal.won_at) AS converted_at,
        CASE WHEN lead.status = 'unqualified' THEN ended.at WHEN NOT deal.is_open THEN deal.lost_at END AS lost_at
      FROM candidate JOIN lead_fact AS lead USING (id)
      CROSS JOIN LATERAL (SELECT min(closed_at) FILTER (WHERE status = 'won') AS won_at,
          max(closed_at) FILTER (WHERE status = 'lost') AS lost_at, coalesce(bool_or(status = 'open'), false) AS is_open
        FROM opportunity_fact WHERE lead_id = lead.id AND NOT is_deleted) AS deal
      CROSS JOIN LATERAL (SELECT max(at) AS at FROM step
        WHERE type = 'lead' AND record_id = lead.id AND value = 'unqualified') AS ended
      WHERE NOT lead.is_deleted AND lead.created_at IS NOT NULL)
    SELECT id AS "leadId", coalesce(converted_at, lost_at) AS at, converted_at IS NOT NULL AS converted
    FROM known WHERE coalesce(converted_at, lost_at) IS NOT NULL
    ORDER BY 2 DESC, 1 DESC LIMIT ${max}::bigint`;
}

/** Whether a model can learn from the outcomes. */
export function hasEnough(outcomes: readonly ClosedLead[]): boolean {
  const converted = outcomes.filter((one) => one.converted).length;
  const lost = outcomes.length - converted;
  return outcomes.length >= outcomesMin && Math.min(converted, lost) >= outcomesOfKindMin;
}
