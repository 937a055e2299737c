import type { leadCreated } from '@tandem/crm-contract';
import type { ConsumerContext, Received } from '@tandem/events';
import { referralAttributed } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { asReferral } from './referral.ts';

/**
 * Attributes new leads that came with a code of an approved partner; returns the leads that were. A code that nobody has
 * is no reason to fail.
 */
export async function attributeLeads(
  events: readonly Received<typeof leadCreated>[],
  { tx, emit }: ConsumerContext<Tx>,
): Promise<number[]> {
  const coming = events.flatMap(({ record: { id, referralCode } }) =>
    referralCode ? [{ leadId: id, code: referralCode.toUpperCase() }] : [],
  );
  if (!coming.length) return [];
  const owners = await partnersByCode(
    tx,
    coming.map(({ code }) => code),
  );
  const data = coming.flatMap(({ leadId, code }) => {
    const partnerId = owners.get(code);
    return partnerId === undefined ? [] : [{ leadId, code, partnerId }];
  });
  if (!data.length) return [];
  const rows = await tx.referral.createManyAndReturn({ data, skipDuplicates: true });
  for (const row of rows) {
    const { id: referralId, partnerId, leadId } = row;
    emit(referralAttributed, { data: { referralId, partnerId, leadId }, record: asReferral(row) });
  }
  return rows.map(({ leadId }) => leadId);
}

async function partnersByCode(tx: Tx, codes: string[]): Promise<Map<string, number>> {
  const rows = await tx.sql<{ code: string; partner_id: number }>`
    SELECT referral_code.code, referral_code.partner_id FROM referral_code
    JOIN partner ON partner.tenant_id = referral_code.tenant_id AND partner.environment = referral_code.environment
      AND partner.id = referral_code.partner_id
    WHERE referral_code.code = ANY(${codes}) AND partner.status = 'approved' FOR SHARE OF partner`;
  return new Map(rows.map((row) => [row.code, row.partner_id]));
}
