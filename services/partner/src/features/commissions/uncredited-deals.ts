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

/** Stores deals of leads without a referral or with a flagged one. */
export async function keepUncredited(tx: Tx, data: WonDeal[]): Promise<void> {
  if (data.length) await tx.uncreditedDeal.createMany({ data, skipDuplicates: true });
}

/** Removes and returns the stored deals of these leads. */
export async function takeUncredited(tx: Tx, leadIds: number[]): Promise<WonDeal[]> {
  if (!leadIds.length) return [];
  return tx.sql<WonDeal>`
    DELETE FROM uncredited_deal WHERE lead_id = ANY(${leadIds})
    RETURNING opportunity_id AS "opportunityId", lead_id AS "leadId", value_minor AS "valueMinor", currency,
      coalesce(won_at, created_at) AS "wonAt"`;
}
