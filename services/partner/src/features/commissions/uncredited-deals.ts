import type { Tx } from '../../handler.ts';

/** For how long a deal waits for somebody whose lead it was. */
export const uncreditedDays = 90;

/** A deal that was won of a lead. */
export interface WonDeal {
  opportunityId: number;
  leadId: number;
  valueMinor: number;
  currency: string;
  wonAt: Date;
}

interface Row {
  opportunity_id: number;
  lead_id: number;
  value_minor: number;
  currency: string;
  won_at: Date;
}

/** Keeps deals of leads that nobody is known to have referred, or whose referral is flagged. */
export async function keepUncredited(tx: Tx, data: WonDeal[]): Promise<void> {
  if (data.length) await tx.uncreditedDeal.createMany({ data, skipDuplicates: true });
}

/** Takes out what was kept of these leads. */
export async function takeUncredited(tx: Tx, leadIds: number[]): Promise<WonDeal[]> {
  if (!leadIds.length) return [];
  const rows = await tx.sql<Row>`
    DELETE FROM uncredited_deal WHERE lead_id = ANY(${leadIds})
    RETURNING opportunity_id, lead_id, value_minor, currency, coalesce(won_at, created_at) AS won_at`;
  return rows.map((row) => ({
    ...{ opportunityId: row.opportunity_id, leadId: row.lead_id },
    ...{ valueMinor: row.value_minor, currency: row.currency, wonAt: row.won_at },
  }));
}
