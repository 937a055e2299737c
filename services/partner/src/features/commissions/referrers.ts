import type { Tx } from '../../handler.ts';
import type { Referrer } from './earn-from-sales.ts';

/** Finds who referred leads, by the id of the lead, if that partner is currently approved. */
export async function findReferrers(tx: Tx, leadIds: readonly number[]): Promise<Map<number, Referrer>> {
  if (!leadIds.length) return new Map();
  const rows = await tx.sql<Referrer & { leadId: number }>`
    SELECT referral.lead_id AS "leadId", referral.partner_id AS "partnerId", partner.tier, partner.plan_id AS "planId",
      referral.occurred_at AS "referredAt", referral.moves FROM referral
    JOIN partner ON partner.tenant_id = referral.tenant_id AND partner.environment = referral.environment
      AND partner.id = referral.partner_id
    WHERE referral.lead_id = ANY(${[...leadIds]}::bigint[]) AND referral.status = 'attributed' AND partner.status = 'approved'`;
  return new Map(rows.map(({ leadId, ...referrer }) => [leadId, referrer]));
}
