import type { formSubmitted } from '@tandem/campaign-contract';
import type { leadCreated, leadUpdated } from '@tandem/crm-contract';
import type { Emit, Received, Schedule } from '@tandem/events';
import type { referralAttributed } from '@tandem/partner-contract';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { attribute, type Touch } from './attribute.ts';
import { type Judgement, judge, type Person } from './referral.ts';

/** A lead with a referral code and the time it got the code. */
export interface ReferredLead {
  leadId: number;
  email: string;
  firstName: string;
  lastName: string;
  code: string;
  source: 'code' | 'form';
  referredAt: Date;
  /** Requires that the partner was approved and had the code at `referredAt`. */
  isPast?: boolean;
  /** Whether the code came by an unconfirmed form, which anybody can send, for a lead that existed. */
  isUnconfirmed?: boolean;
  /** Whether an unconfirmed form created the lead. */
  isUnproven?: boolean;
}

/** Leads that were created with a referral code or got one later. */
export function referredLeads(events: readonly Received<typeof leadCreated | typeof leadUpdated>[]): ReferredLead[] {
  return events.flatMap((event) => {
    const { record } = event;
    const isNew = event.name === 'lead.created';
    const { changes, isMerge } = (event as Received<typeof leadUpdated>).data;
    // The code of a merged lead is no new touch: its referral moves with it.
    const hasNewCode = isNew || (changes.referralCode && !isMerge);
    return hasNewCode ? (referredLead(record, isNew ? record.createdAt : event.occurredAt) ?? []) : [];
  });
}

/** Leads whose referral code was sent with a form: the person has confirmed the address, or the form has created the lead. */
export function formLeads(events: readonly Received<typeof formSubmitted>[]): ReferredLead[] {
  return events.flatMap(({ data: { leadId, referralCode, isConfirmed }, record: { lead }, occurredAt }) => {
    if (leadId === null || !referralCode || !lead) return [];
    const { isNew, ...person } = lead;
    const touch = { code: referralCode.toUpperCase(), source: 'form', referredAt: occurredAt } as const;
    return [{ ...person, ...touch, leadId, isUnconfirmed: !isConfirmed && !isNew, isUnproven: !isConfirmed && isNew }];
  });
}

const unconfirmed = { status: 'flagged', flagReason: 'unconfirmed_form' } as const;

type LeadRecord = Pick<
  Received<typeof leadCreated>['record'],
  'id' | 'email' | 'firstName' | 'lastName' | 'referralCode' | 'source' | 'createdAt'
>;

/** The touch of a lead that got its code at a time; undefined without a code. */
export function referredLead(
  { id: leadId, email, firstName, lastName, referralCode, source: origin, createdAt }: LeadRecord,
  referredAt: Date,
): ReferredLead | undefined {
  if (!referralCode) return undefined;
  // People enter their data on the web themselves, in forms and on landing pages.
  const source = origin === 'web' && referredAt.getTime() === createdAt.getTime() ? 'form' : 'code';
  return { leadId, email, firstName, lastName, code: referralCode.toUpperCase(), source, referredAt };
}

/**
 * Attributes leads with the code of an approved partner, if that is the last touch; ignores unknown codes. Returns the
 * referrals that are new or have another partner.
 * @param wonAt when deals of these leads were won that are not stored yet
 */
export async function attributeLeads(
  leads: ReferredLead[],
  inside: { tx: Tx; emit: Emit<typeof referralAttributed>; schedule: Schedule },
  wonAt: ReadonlyMap<number, Date>,
): Promise<ReferralRow[]> {
  if (!leads.length) return [];
  const owners = await partnersByCode(
    inside.tx,
    leads.map(({ code }) => code),
  );
  const pairs = leads.flatMap((lead) => {
    const partner = owners.get(lead.code);
    return partner && !(lead.isPast && partner.since > lead.referredAt) ? [{ lead, partner }] : [];
  });
  const judgements = await judge(inside.tx, pairs);
  const touches = pairs.map(({ lead, partner }, index): Touch => {
    const { leadId, code, source, referredAt, isUnconfirmed, isUnproven = false } = lead;
    const judgement = judgements[index] as Judgement;
    return {
      ...judgement,
      ...(isUnconfirmed && judgement.status === 'attributed' && unconfirmed),
      isUnproven,
      leadId,
      partnerId: partner.partnerId,
      code,
      clickId: null,
      source,
      occurredAt: referredAt,
      externalId: null,
      createdBy: null,
      createdAt: referredAt,
    };
  });
  const outcomes = await attribute(inside, touches, { wonAt });
  return [...outcomes.values()].flatMap((outcome) => ('referral' in outcome ? [outcome.referral] : []));
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
