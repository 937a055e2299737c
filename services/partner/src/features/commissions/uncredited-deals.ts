import type { Tx } from '../../handler.ts';

/** How long a deal waits for the referral of its lead. */
export const uncreditedDays = 90;

/** A won deal with a lead. */
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

/** Stores deals of leads without a referral or with a flagged one. */
export async function keepUncredited(tx: Tx, data: WonDeal[]): Promise<void> {
  if (data.length) await tx.uncreditedDeal.createMany({ data, skipDuplicates: true });
}

/** Removes and returns the stored deals of these leads. */
export async function takeUncredited(tx: Tx, leadIds: number[]): Promise<WonDeal[]> {
  if (!leadIds.length) return [];
  const rows = await tx.sql<Row>`
    DELETE FROM uncredited_deal WHERE lead_id = ANY(${leadIds})
    RETURNING opportunity_id, lead_id, value_minor, currency, coalesce(won_at, created_at) AS won_at`;
  return rows.map((row) => ({
    opportunityId: row.opportunity_id,
    leadId: row.lead_id,
    valueMinor: row.value_minor,
    currency: row.currency,
    wonAt: row.won_at,
  }));
}
