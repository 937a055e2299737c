import { type internalLeads, unknownNames } from '@tandem/crm-contract';
import { ApiError, fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { changeLead } from './change-lead.ts';
import { insertLead } from './create-lead.ts';
import { asLead, type LeadRecord } from './lead.ts';

type Body = z.output<typeof internalLeads.upsertLeadByEmail.body>;
type FormConsent = NonNullable<Body['consent']>;
type Values = Record<string, unknown>;
interface Ignored {
  field: string;
  message: string;
}

const customPrefix = 'customFields.';

export const upsertLeadByEmail: Handler<typeof internalLeads.upsertLeadByEmail> = async ({
  body,
  caller,
  tx,
  emit,
}) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  const lead = await lockLeadByEmail(tx, body.email);
  if (!lead) {
    const { result, ignored } = await withAcceptedValues(body.customFields, (customFields) =>
      insertLead({ tx, emit, caller }, newLead(body, customFields), undefined, {
        mayLackCustomFields: true,
        partnerId: body.partnerId,
      }),
    );
    return { leadId: result.id, created: true, ignored };
  }
  if (body.onlyNew) return { leadId: lead.id, created: false, ignored: [] };
  const { ignored } = await withAcceptedValues(missingValues(lead, body.customFields), (customFields) =>
    changeLead({ tx, emit }, { lead, change: lackingFields(lead, body, customFields), assignee: undefined }),
  );
  return { leadId: lead.id, created: false, ignored };
};

/** Locks the oldest lead with an address. Until the end of the transaction, no other call of this creates one. */
export async function lockLeadByEmail(tx: Tx, email: string): Promise<LeadRecord | undefined> {
  // Two submissions at once must not create two leads.
  await lockNamed(tx, 'lead_email', [email.toLowerCase()]);
  const [found] = await tx.sql<{ id: number }>`SELECT id FROM lead
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
      AND email_key = lower(${email}) AND deleted_at IS NULL ORDER BY id LIMIT 1`;
  const row = found && (await tx.lead.lockFirst({ where: { id: found.id, deletedAt: null } }));
  return row ? asLead(row) : undefined;
}

function newLead(body: Body, customFields: Values) {
  const { email } = body;
  const unknown = unknownNames({ email });
  return {
    email,
    firstName: body.firstName ?? unknown.firstName,
    lastName: body.lastName ?? unknown.lastName,
    source: body.source ?? ('web' as const),
    phone: body.phone ?? null,
    referralCode: body.referralCode ?? null,
    customFields,
    ...(body.consent && { consent: { email: grantedBy(body.consent) } }),
  };
}

/**
 * The values that the lead lacks: whoever enters an address need not be its owner, so what is known stays. A referral code
 * is no such value, because a code that a lead gets later is a claim to its deals.
 */
function lackingFields(lead: LeadRecord, body: Body, customFields: Values) {
  const { firstName, lastName, phone, consent } = body;
  const unknown = unknownNames(lead);
  const hasNoName = lead.lastName === unknown.lastName;
  return {
    ...(lastName && hasNoName && { lastName }),
    ...(firstName && hasNoName && (lastName || lead.firstName === unknown.firstName) && { firstName }),
    ...(phone && lead.phone === null && { phone }),
    ...(Object.keys(customFields).length && { customFields: { ...lead.customFields, ...customFields } }),
    ...(consent && counts(consent, lead.consent.email) && { consent: { email: grantedBy(consent) } }),
  };
}

/** Whether a consent changes what is known: unconfirmed only without a decision, confirmed unless the decision is later. */
function counts({ isConfirmed, at }: FormConsent, known: LeadRecord['consent']['email']): boolean {
  if (!known || known.state === 'unknown') return true;
  return isConfirmed && (at === undefined || at > known.at);
}

function grantedBy({ source, at }: FormConsent) {
  return { state: 'granted' as const, source, ...(at && { at }) };
}

function missingValues(lead: LeadRecord, customFields: Values = {}): Values {
  const known = new Set(Object.entries(lead.customFields).flatMap(([key, value]) => (value === null ? [] : [key])));
  return Object.fromEntries(Object.entries(customFields).filter(([key]) => !known.has(key)));
}

/**
 * Writes a lead with those custom fields that their definitions accept: a refused value must not prevent the lead. The
 * write throws before it changes anything.
 */
async function withAcceptedValues<T>(
  customFields: Values = {},
  write: (accepted: Values) => Promise<T>,
): Promise<{ result: T; ignored: Ignored[] }> {
  const accepted = { ...customFields };
  const ignored: Ignored[] = [];
  for (;;) {
    try {
      return { result: await write(accepted), ignored };
    } catch (error) {
      const refused =
        error instanceof ApiError ? error.errors.filter(({ field }) => Object.hasOwn(accepted, keyOf(field))) : [];
      if (!refused.length) throw error;
      for (const { field, message } of refused) {
        delete accepted[keyOf(field)];
        ignored.push({ field, message });
      }
    }
  }
}

function keyOf(field: string): string {
  return field.startsWith(customPrefix) ? field.slice(customPrefix.length) : '';
}
