import type { leadCreated, leadUpdated } from '@tandem/crm-contract';
import type { Emit, Received } from '@tandem/events';
import { referralAttributed } from '@tandem/partner-contract';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asReferral, type Person, statusOf } from './referral.ts';

/** A lead with a referral code and the time it got the code. */
export interface ReferredLead {
  leadId: number;
  email: string;
  firstName: string;
  lastName: string;
  code: string;
  referredAt: Date;
  /** Requires that the partner was approved and had the code at `referredAt`. */
  isPast?: boolean;
}

/** Leads that were created with a referral code or got one later. */
export function referredLeads(events: readonly Received<typeof leadCreated | typeof leadUpdated>[]): ReferredLead[] {
  return events.flatMap((event) => {
    const { id: leadId, email, firstName, lastName, referralCode, createdAt } = event.record;
    const isNew = event.name === 'lead.created';
    const hasNewCode = isNew || (event as Received<typeof leadUpdated>).data.changes.referralCode;
    const referredAt = isNew ? createdAt : event.occurredAt;
    return referralCode && hasNewCode
      ? [{ leadId, email, firstName, lastName, code: referralCode.toUpperCase(), referredAt }]
      : [];
  });
}

/** Attributes leads with the code of an approved partner; ignores unknown codes. Returns the new referrals. */
export async function attributeLeads(
  leads: ReferredLead[],
  { tx, emit }: { tx: Tx; emit: Emit<typeof referralAttributed> },
): Promise<ReferralRow[]> {
  if (!leads.length) return [];
  const owners = await partnersByCode(
    tx,
    leads.map(({ code }) => code),
  );
  const data = leads.flatMap(({ leadId, code, referredAt: createdAt, isPast, ...person }) => {
    const owner = owners.get(code);
    return owner && !(isPast && owner.since > createdAt)
      ? [{ leadId, code, createdAt, partnerId: owner.partnerId, status: statusOf(person, owner) }]
      : [];
  });
  if (!data.length) return [];
  const rows = await tx.referral.createManyAndReturn({ data, skipDuplicates: true });
  for (const row of rows) {
    const { id: referralId, partnerId, leadId } = row;
    emit(referralAttributed, { data: { referralId, partnerId, leadId }, record: asReferral(row) });
  }
  return rows;
}

interface Owner extends Person {
  partnerId: number;
  /** When the partner was approved and had the code. */
  since: Date;
}

// In the order of ids, as everywhere, so that two transactions cannot wait for each other.
async function partnersByCode(tx: Tx, codes: string[]): Promise<Map<string, Owner>> {
  const rows = await tx.sql<Owner & { code: string }>`
    SELECT referral_code.code, referral_code.partner_id AS "partnerId", partner.email,
      partner.first_name AS "firstName", partner.last_name AS "lastName",
      greatest(referral_code.created_at, partner.approved_at) AS since FROM referral_code
    JOIN partner ON partner.tenant_id = referral_code.tenant_id AND partner.environment = referral_code.environment
      AND partner.id = referral_code.partner_id
    WHERE referral_code.code = ANY(${codes}) AND partner.status = 'approved'
    ORDER BY partner.id FOR SHARE OF partner`;
  return new Map(rows.map((row) => [row.code, row]));
}
