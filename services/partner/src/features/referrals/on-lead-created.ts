import type { leadCreated } from '@tandem/crm-contract';
import type { ConsumerContext, Received } from '@tandem/events';
import { referralAttributed } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { asReferral, statusOf } from './referral.ts';

/**
 * Attributes new leads that came with a code of an approved partner; returns the leads whose deals earn. A code that
 * nobody has is no reason to fail.
 */
export async function attributeLeads(
  events: readonly Received<typeof leadCreated>[],
  { tx, emit }: ConsumerContext<Tx>,
): Promise<number[]> {
  const coming = events.flatMap(({ record: { id, email, referralCode } }) =>
    referralCode ? [{ leadId: id, email, code: referralCode.toUpperCase() }] : [],
  );
  if (!coming.length) return [];
  const owners = await partnersByCode(
    tx,
    coming.map(({ code }) => code),
  );
  const data = coming.flatMap(({ leadId, email, code }) => {
    const owner = owners.get(code);
    return owner ? [{ leadId, code, partnerId: owner.partnerId, status: statusOf({ email }, owner) }] : [];
  });
  if (!data.length) return [];
  const rows = await tx.referral.createManyAndReturn({ data, skipDuplicates: true });
  for (const row of rows) {
    const { id: referralId, partnerId, leadId } = row;
    emit(referralAttributed, { data: { referralId, partnerId, leadId }, record: asReferral(row) });
  }
  return rows.filter(({ status }) => status === 'attributed').map(({ leadId }) => leadId);
}

interface Owner {
  partnerId: number;
  emailKey: string;
}

async function partnersByCode(tx: Tx, codes: string[]): Promise<Map<string, Owner>> {
  const rows = await tx.sql<{ code: string; partner_id: number; email_key: string }>`
    SELECT referral_code.code, referral_code.partner_id, partner.email_key FROM referral_code
    JOIN partner ON partner.tenant_id = referral_code.tenant_id AND partner.environment = referral_code.environment
      AND partner.id = referral_code.partner_id
    WHERE referral_code.code = ANY(${codes}) AND partner.status = 'approved' FOR SHARE OF partner`;
  return new Map(rows.map((row) => [row.code, { partnerId: row.partner_id, emailKey: row.email_key }]));
}
