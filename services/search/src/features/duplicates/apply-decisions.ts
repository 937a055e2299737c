import type { Tx } from '../../handler.ts';
import { inOrder, pairOf } from './pairs.ts';

/** A pair of leads that was dismissed in crm, which gives leads the same scores. */
export interface Decision {
  /** The ids of the documents. */
  leads: [string, string];
  confidence: number;
  decidedBy: number | null;
  decidedAt: Date | null;
}

/**
 * Dismisses open pairs as crm has. A higher score than the dismissed one means that a lead has changed since, which opens a
 * pair. No event tells of it: crm would hear of its own decision.
 */
export async function applyDecisions(tx: Tx, decisions: Decision[]): Promise<void> {
  const rows = decisions.map(({ leads, ...rest }) => ({ ...rest, ...pairOf('lead', ...leads) }));
  for (const { firstId, secondId, confidence, decidedBy, decidedAt } of rows.sort(inOrder))
    await tx.sql`UPDATE duplicate_pair SET status = 'dismissed', dismissed_by = ${decidedBy}::bigint,
        dismissed_at = ${decidedAt ?? new Date()}::timestamptz, updated_at = now(), version = version + 1
      WHERE type = 'lead' AND first_id = ${firstId} AND second_id = ${secondId} AND status = 'open'
        AND score <= ${confidence}::float`;
}
