import { currentLeads } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** How long a deal waits for the referral of its lead. */
export const uncreditedDays = 90;

/** A won deal with a lead. */
export interface WonDeal {
  opportunityId: number;
  leadId: number;
  pipelineId: number | null;
  /** The version of the deal when it was won. */
  version: number;
  valueMinor: number;
  currency: string;
  wonAt: Date;
}

/** Stores deals of leads without a referral or with a flagged one; returns how many are new. */
export async function keepUncredited(tx: Tx, data: WonDeal[]): Promise<number> {
  return data.length ? (await tx.uncreditedDeal.createMany({ data, skipDuplicates: true })).count : 0;
}

/** The deals that are neither stored here nor in the ledger of commissions. An entry counts until its deal is reopened. */
export async function unhandled(tx: Tx, deals: WonDeal[]): Promise<WonDeal[]> {
  const ids = deals.map(({ opportunityId }) => opportunityId);
  if (!ids.length) return [];
  const rows = await tx.sql<{ id: number }>`
    SELECT opportunity_id AS id FROM uncredited_deal WHERE opportunity_id = ANY(${ids}::bigint[])
    UNION ALL
    SELECT commission.opportunity_id FROM commission
    LEFT JOIN deal ON deal.tenant_id = commission.tenant_id AND deal.environment = commission.environment
      AND deal.opportunity_id = commission.opportunity_id
    WHERE commission.opportunity_id = ANY(${ids}::bigint[]) AND commission.deal_version >= coalesce(deal.version, 0)`;
  const handled = new Set(rows.map(({ id }) => id));
  return deals.filter(({ opportunityId }) => !handled.has(opportunityId));
}

/** Stores the leads of deals that are known without: earlier releases did not store them. */
export async function storeLeads(tx: Tx, deals: readonly WonDeal[]): Promise<void> {
  const current = await currentLeads(
    tx,
    deals.map(({ leadId }) => leadId),
  );
  const rows = deals.map(({ opportunityId, leadId }) => ({ opportunityId, leadId, current: current.get(leadId) }));
  await tx.sql`UPDATE deal SET lead_id = known.current, merged_from_lead_id = nullif(known."leadId", known.current)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS known ("opportunityId" bigint, "leadId" bigint, current bigint)
    WHERE deal.opportunity_id = known."opportunityId" AND deal.lead_id IS NULL`;
}

/** Removes and returns the stored deals of these leads. */
export async function takeUncredited(tx: Tx, leadIds: number[]): Promise<WonDeal[]> {
  if (!leadIds.length) return [];
  return tx.sql<WonDeal>`
    DELETE FROM uncredited_deal WHERE lead_id = ANY(${leadIds})
    RETURNING opportunity_id AS "opportunityId", lead_id AS "leadId", version, pipeline_id AS "pipelineId",
      value_minor AS "valueMinor", currency,
      coalesce(won_at, created_at) AS "wonAt"`;
}
