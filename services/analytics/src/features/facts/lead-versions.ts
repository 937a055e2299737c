import type { Lead } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** A version of a lead with what predictions read of it. */
export interface LeadVersion {
  leadId: number;
  version: number;
  at: Date;
  /** Whether the lead is converted or unqualified in this version, so that its values may follow from the outcome. */
  isClosed: boolean;
  source: string | null;
  hasPhone: boolean;
  hasAccount: boolean;
  hasPartner: boolean;
  hasOwner: boolean;
}

export function leadVersionOf(lead: z.output<typeof Lead>): LeadVersion {
  const { id: leadId, version, updatedAt: at, status, convertedAt, source, phone } = lead;
  return {
    ...{ leadId, version, at, source },
    isClosed: Boolean(convertedAt) || status === 'unqualified',
    hasPhone: phone !== null,
    hasAccount: Boolean(lead.accountId),
    hasPartner: Boolean(lead.partnerId || lead.referralCode),
    hasOwner: lead.assignedTo !== null,
  };
}

/**
 * Keeps the versions of leads that differ from the version before, as far as it is known. One that arrives late is kept too;
 * if it differs from none, it changes nothing.
 */
export async function addLeadVersions(tx: Tx, versions: readonly LeadVersion[]): Promise<void> {
  if (!versions.length) return;
  await tx.sql`
    WITH given AS (
      SELECT DISTINCT ON ("leadId", version) * FROM jsonb_to_recordset(${JSON.stringify(versions)}::jsonb)
        AS row ("leadId" bigint, version int, at timestamptz, "isClosed" boolean, source text, "hasPhone" boolean,
          "hasAccount" boolean, "hasPartner" boolean, "hasOwner" boolean)
      ORDER BY "leadId", version),
    valued AS (SELECT given.*, concat_ws(' ', "isClosed", "hasPhone", "hasAccount", "hasPartner", "hasOwner", source) AS content FROM given),
    compared AS (SELECT valued.*, lag(content) OVER (PARTITION BY "leadId" ORDER BY version) AS before FROM valued)
    INSERT INTO lead_version (lead_id, version, at, is_closed, source, has_phone, has_account, has_partner, has_owner)
    SELECT "leadId", version, at, "isClosed", source, "hasPhone", "hasAccount", "hasPartner", "hasOwner" FROM compared
    WHERE content IS DISTINCT FROM coalesce(before, (
      SELECT concat_ws(' ', is_closed, has_phone, has_account, has_partner, has_owner, stored.source) FROM lead_version AS stored
      WHERE lead_id = "leadId" AND stored.version < compared.version ORDER BY stored.version DESC LIMIT 1))
    ON CONFLICT DO NOTHING`;
}
