import type { Pepper } from '@tandem/api-keys';
import type { internalSecrets } from '@tandem/identity-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { emailHashes } from '../users/user.ts';

const tenantsPerCall = 50;

export const rehashAddresses =
  ({ pepper }: Tools): Handler<typeof internalSecrets.rehashAddresses> =>
  async ({ body, tx, inTenant }) => {
    const tenants = await tx.sql<{ id: number }>`SELECT DISTINCT owner_tenant_id AS id FROM email_lookup
      WHERE pepper IS DISTINCT FROM ${pepper.id}::text AND owner_tenant_id > ${body.after ?? 0}
      ORDER BY owner_tenant_id LIMIT ${tenantsPerCall}`;
    let rehashed = 0;
    let left = 0;
    for (const { id: tenantId } of tenants) {
      const done = await inTenant({ tenantId, environment: 'live' }, ({ tx: own }) =>
        rehashTenant(own, tenantId, pepper),
      );
      rehashed += done.rehashed;
      left += done.left;
    }
    return { rehashed, left, next: tenants.length === tenantsPerCall ? (tenants.at(-1)?.id ?? null) : null };
  };

/** A user who changes the address meanwhile replaces the row, which the update then no longer finds. */
async function rehashTenant(own: Tx, tenantId: number, pepper: Pepper): Promise<{ rehashed: number; left: number }> {
  const users = await own.sql<{ email: string }>`SELECT email FROM "user"`;
  const pairs = users.flatMap(({ email }) => {
    const hashes = emailHashes(email, pepper);
    return hashes.map((stored) => ({ stored, current: hashes[0] }));
  });
  const updated = await own.sql`UPDATE email_lookup SET email_hash = pair.current, pepper = ${pepper.id}
    FROM unnest(${pairs.map(({ stored }) => stored)}::text[], ${pairs.map(({ current }) => current)}::text[])
      AS pair (stored, current)
    WHERE email_hash = pair.stored AND owner_tenant_id = ${tenantId} AND pepper IS DISTINCT FROM ${pepper.id}::text
    RETURNING owner_tenant_id`;
  const [remaining] = await own.sql<{ count: number }>`SELECT count(*)::int AS count FROM email_lookup
    WHERE owner_tenant_id = ${tenantId} AND pepper IS DISTINCT FROM ${pepper.id}::text`;
  return { rehashed: updated.length, left: remaining?.count ?? 0 };
}
