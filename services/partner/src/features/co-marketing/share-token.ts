import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import type { Tx } from '../../handler.ts';

const tokenBytes = 32;

/** Hash that identifies a token in the lookup table, which is readable without a tenant. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Creates an unguessable token. */
export function makeToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** Creates the lookup entry from a token to a resource of the caller's tenant. */
export async function createShareLink(tx: Tx, token: string, resourceId: number, caller: Caller): Promise<void> {
  await tx.shareLookup.create({
    data: {
      tokenHash: hashToken(token),
      ownerTenantId: caller.tenantId as number,
      ownerEnvironment: caller.environment,
      resourceId,
    },
  });
}

/** Revokes a link permanently. */
export async function revokeShareLink(tx: Tx, token: string | null): Promise<void> {
  if (token) await tx.shareLookup.deleteMany({ where: { tokenHash: hashToken(token) } });
}
