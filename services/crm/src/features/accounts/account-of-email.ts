import { isPublicDomain } from '@tandem/matching';
import type { Tx } from '../../handler.ts';

/**
 * The account with the domain of an e-mail address; null without one, and for addresses of public mail providers. Read by
 * SQL, because the match depends on the account, not on what the caller may read.
 */
export async function accountOfEmail(tx: Tx, email: string): Promise<number | null> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (isPublicDomain(domain)) return null;
  const [account] = await tx.sql<{ id: number }>`
    SELECT id FROM account WHERE domain = ${domain} AND deleted_at IS NULL`;
  return account?.id ?? null;
}

/** The accounts of many addresses at once, by domain; accountOfEmail for a batch of an import. */
export async function accountsOfEmails(tx: Tx, emails: readonly string[]): Promise<(email: string) => number | null> {
  const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const domains = [...new Set(emails.map(domainOf))].filter((domain) => !isPublicDomain(domain));
  const found = domains.length
    ? await tx.sql<{ id: number; domain: string }>`
        SELECT id, domain FROM account WHERE domain = ANY(${domains}::text[]) AND deleted_at IS NULL`
    : [];
  const idOf = new Map(found.map(({ id, domain }) => [domain, id]));
  return (email) => idOf.get(domainOf(email)) ?? null;
}
