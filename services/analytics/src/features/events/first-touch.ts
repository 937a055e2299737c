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
