import { dealRegistrationLimits } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { DealRecord } from './deal-registration.ts';
import { comparedKeys } from './protected-keys.ts';

const { undecidedDays } = dealRegistrationLimits;

/**
 * Fails if another partner protects the company or the contact of a registration. Registrations of one company are checked one after the
 * other until the end of the transaction, because two at once would not see each other.
 * @throws 409 without the other registration, which the partner must not learn
 */
export async function checkFree(tx: Tx, deal: DealRecord): Promise<void> {
  const { companies, domains, mailboxes } = comparedKeys(deal);
  await lockNamed(tx, 'protected deal', [
    ...companies.map((key) => `company ${key}`),
    ...domains.map((key) => `domain ${key}`),
    ...mailboxes.map((key) => `mailbox ${key}`),
  ]);
  if ((await findConflicts(tx, deal)).length) throw fail('already_registered');
}

/** The registrations of other partners that protect the company or the contact of a registration. A conversion ends no protection. */
export async function findConflicts(tx: Tx, deal: DealRecord): Promise<number[]> {
  const { companies, domains, mailboxes } = comparedKeys(deal);
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM deal_registration
    WHERE (company_key = ANY(${companies}::text[]) OR domain_key = ANY(${domains}::text[])
        OR contact_domain_key = ANY(${domains}::text[]) OR mailbox_key = ANY(${mailboxes}::text[]))
      AND partner_id <> ${deal.partnerId} AND partner_id NOT IN (SELECT id FROM partner WHERE status = 'terminated')
      AND ((status = 'submitted' AND submitted_at > now() - make_interval(days => ${undecidedDays}))
        OR (status IN ('approved', 'converted') AND protected_until > now()))
    ORDER BY id`;
  return rows.map(({ id }) => id);
}
