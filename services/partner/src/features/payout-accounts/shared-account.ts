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
  const mailboxes = await mailboxesSharing(
    tx,
    asked.map(({ partnerId }) => partnerId),
  );
  return asked.map(({ email, partnerId }) => mailboxes.get(partnerId)?.has(mailboxOf(email)) ?? false);
}

/** Bounds the result: partners who share an account are few. */
const addressesMax = 10_000;

/** By partner, the mailboxes of the other partners who are paid to the same account, and of their portal users. */
export async function mailboxesSharing(tx: Tx, partnerIds: readonly number[]): Promise<Map<number, Set<string>>> {
  const mailboxes = new Map<number, Set<string>>();
  if (!partnerIds.length) return mailboxes;
  const rows = await tx.sql<{ partnerId: number; email: string }>`
    SELECT own.partner_id AS "partnerId", person.email FROM payout_account AS own
    JOIN payout_account AS other ON other.fingerprint = own.fingerprint AND other.replaced_at IS NULL
      AND other.partner_id <> own.partner_id
    CROSS JOIN LATERAL (
      SELECT email, 0 AS place FROM partner WHERE id = other.partner_id
      UNION ALL SELECT email, 1 FROM portal_user WHERE partner_id = other.partner_id) AS person
    WHERE own.partner_id = ANY(${[...new Set(partnerIds)]}::bigint[]) AND own.replaced_at IS NULL
    ORDER BY person.place LIMIT ${addressesMax}`;
  for (const { partnerId, email } of rows) {
    const known = mailboxes.get(partnerId) ?? new Set();
    mailboxes.set(partnerId, known.add(mailboxOf(email)));
  }
  return mailboxes;
}

/** The partners who are paid to the account of a partner, with itself; none if there is no other. */
export async function partnersSharing(tx: Tx, partnerId: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT DISTINCT other.partner_id AS id FROM payout_account AS own
    JOIN payout_account AS other ON other.fingerprint = own.fingerprint AND other.replaced_at IS NULL
    WHERE own.partner_id = ${partnerId} AND own.replaced_at IS NULL`;
  return rows.length > 1 ? rows.map(({ id }) => id) : [];
}
