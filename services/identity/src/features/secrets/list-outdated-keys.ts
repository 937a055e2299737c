import type { internalSecrets } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asApiKey } from '../api-keys/api-key.ts';

const pageSize = 200;

/** Revoked and expired keys are left out: nobody can use them again, so they need no pepper. */
export const listOutdatedKeys =
  ({ pepper }: Tools): Handler<typeof internalSecrets.listOutdatedKeys> =>
  async ({ body, tx, inTenant }) => {
    const places = await tx.sql<{ hash: string; tenantId: number; keyId: number }>`
      SELECT hash, owner_tenant_id AS "tenantId", key_id AS "keyId" FROM key_lookup
      WHERE pepper IS DISTINCT FROM ${pepper.id}::text AND hash > ${body.after ?? ''} ORDER BY hash LIMIT ${pageSize}`;
    const keys = [];
    // Row-level security shows one tenant at a time.
    for (const { tenantId, keyId } of places) {
      const row = await inTenant({ tenantId, environment: 'live' }, ({ tx: own }) =>
        own.apiKey.findFirst({ where: { id: keyId } }),
      );
      if (row && asApiKey(row).status === 'active') keys.push({ ...row, tenantId, keyId });
    }
    return { keys, next: places.length === pageSize ? (places.at(-1)?.hash ?? null) : null };
  };
