import { mailboxOf } from '@tandem/contract';
import type { Tx } from '../../handler.ts';

/** A lead, by its address, and the partner who refers it. */
interface Asked {
  email: string;
  partnerId: number;
}

/**
 * Whether leads are partners, or their portal users, who are paid to the same account as the partner who refers them: that
 * is one person with two registrations. In the order of the leads.
 */
export async function shareAccounts(tx: Tx, asked: readonly Asked[]): Promise<boolean[]> {
  if (!asked.length) return [];
  const leads = asked.flatMap(({ email, partnerId }, index) =>
    [...new Set([email.toLowerCase(), mailboxOf(email)])].map((address) => ({
      index,
      email: address,
      partner_id: partnerId,
    })),
  );
  const rows = await tx.sql<{ index: number }>`
    WITH lead AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(leads)}::jsonb)
        AS lead (index int, email text, partner_id bigint)),
    person AS (
      SELECT lead.index, lead.partner_id, partner.id AS of FROM lead JOIN partner ON partner.email_key = lead.email
      UNION SELECT lead.index, lead.partner_id, portal_user.partner_id FROM lead
        JOIN portal_user ON portal_user.email = lead.email)
    SELECT DISTINCT person.index FROM person
    JOIN payout_account AS own ON own.partner_id = person.of AND own.replaced_at IS NULL
    JOIN payout_account AS other ON other.partner_id = person.partner_id AND other.replaced_at IS NULL
    WHERE own.fingerprint = other.fingerprint AND person.of <> person.partner_id`;
  const shared = new Set(rows.map(({ index }) => index));
  return asked.map((_, index) => shared.has(index));
}
