import { followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

const retryMs = 10 * 60_000;
// Rows of segment_lead and trigger_member have no id of their own, and are not changed in place.
const rowId = fragment`ctid`;

/** What a merged lead did and got belongs to the lead that remains, and so do its places in workflows and segments. */
export const mergeFollowers = followLeadMerges<Tx>(
  [
    {
      table: fragment`execution`,
      // A lead is in a workflow once at a time: the other execution ends when it is due, and follows then.
      conflict: fragment`other.workflow_id = record.workflow_id
        AND record.status IN ('running', 'waiting') AND other.status IN ('running', 'waiting')`,
      retryMs,
    },
    { table: fragment`message` },
    { table: fragment`engagement` },
    { table: fragment`form_submission` },
    {
      table: fragment`segment_lead`,
      key: rowId,
      conflict: fragment`other.segment_id = record.segment_id`,
    },
    // Otherwise the lead that remains would enter the segment of a trigger anew.
    {
      table: fragment`trigger_member`,
      key: rowId,
      conflict: fragment`other.workflow_id = record.workflow_id`,
    },
  ],
  ({ tx }, leadIds) => nameSurvivors(tx, leadIds),
);

/** Audiences that name a merged lead name the lead that remains too; the name of the merged one has no effect. */
async function nameSurvivors(tx: Tx, leadIds: readonly number[]): Promise<void> {
  await tx.sql`
    UPDATE audience_part SET lead_ids = audience_part.lead_ids || survivor.ids
    FROM (
      SELECT part.campaign_id, part.is_excluded, part.position, array_agg(DISTINCT merged.merged_into_id) AS ids
      FROM merged_lead AS merged
      JOIN audience_part AS part ON merged.lead_id = ANY(part.lead_ids)
        AND NOT merged.merged_into_id = ANY(part.lead_ids)
      WHERE merged.merged_into_id = ANY(${[...leadIds]}::bigint[])
      GROUP BY 1, 2, 3) AS survivor
    WHERE audience_part.campaign_id = survivor.campaign_id AND audience_part.is_excluded = survivor.is_excluded
      AND audience_part.position = survivor.position`;
}
