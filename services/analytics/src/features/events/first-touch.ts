import type { Tx } from '../../handler.ts';

/** The engagement of people; the other types are what happens to them. */
export const touchTypes = ['email_open', 'link_click', 'email_reply', 'form_submission', 'page_visit'] as const;

interface Touch {
  leadId: number | null;
  type: string;
  timestamp: Date;
  automated: boolean;
}

/** Notes the first engagement of each lead. Locks the rows of the leads in the order of their ids. */
export async function noteTouches(tx: Tx, events: readonly Touch[]): Promise<void> {
  const first = new Map<number, Date>();
  for (const { leadId, type, timestamp, automated } of events) {
    if (leadId === null || automated || !touchTypes.some((one) => one === type)) continue;
    const known = first.get(leadId);
    if (!known || timestamp < known) first.set(leadId, timestamp);
  }
  if (!first.size) return;
  const rows = JSON.stringify([...first].map(([id, at]) => ({ id, at })));
  await tx.sql`
    INSERT INTO first_touch (lead_id, at)
    SELECT id, at FROM jsonb_to_recordset(${rows}::jsonb) AS row (id bigint, at timestamptz) ORDER BY id
    ON CONFLICT (tenant_id, environment, lead_id) DO UPDATE SET at = excluded.at WHERE first_touch.at > excluded.at`;
}

/**
 * Reads the first engagement of leads again from their events, after a merge or its undoing moved these. Before the time from
 * which events are kept, the rows of the lead and of those merged into it are all that is known. An event that is stored
 * meanwhile counts in the second run of the job that moves rows.
 */
export async function placeTouches(tx: Tx, leadIds: readonly number[]): Promise<void> {
  await tx.sql`
    WITH RECURSIVE tree (lead_id, part) AS (
      SELECT id, id FROM unnest(${[...leadIds]}::bigint[]) AS id
      UNION SELECT tree.lead_id, merged_lead.lead_id FROM tree JOIN merged_lead ON merged_into_id = tree.part),
    touched (lead_id, at) AS (
      SELECT wanted, first.timestamp FROM unnest(${[...leadIds]}::bigint[]) AS wanted CROSS JOIN LATERAL (
        SELECT timestamp FROM engagement_event
        WHERE lead_id = wanted AND NOT automated AND type = ANY(${[...touchTypes]}::text[]) ORDER BY timestamp LIMIT 1) AS first
      UNION ALL
      SELECT tree.lead_id, at FROM tree JOIN first_touch ON first_touch.lead_id = part JOIN retention ON at < kept_since),
    gone AS (
      DELETE FROM first_touch WHERE lead_id = ANY(${[...leadIds]}::bigint[]) AND lead_id NOT IN (SELECT lead_id FROM touched))
    INSERT INTO first_touch (lead_id, at)
    SELECT lead_id, min(at) FROM touched GROUP BY lead_id ORDER BY lead_id
    ON CONFLICT (tenant_id, environment, lead_id) DO UPDATE SET at = excluded.at`;
}
