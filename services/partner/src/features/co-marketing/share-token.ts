import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import type { Tx } from '../../handler.ts';

const tokenBytes = 32;

/** The name under which a token is looked up: a list of all links must not be readable without a tenant. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A token that nobody guesses. */
export function makeToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** Lets a token lead to a resource of the caller's tenant. */
export async function openLink(tx: Tx, token: string, resourceId: number, caller: Caller): Promise<void> {
  await tx.shareLookup.create({
    data: {
      tokenHash: hashToken(token),
      ownerTenantId: caller.tenantId as number,
      ownerEnvironment: caller.environment,
      resourceId,
    },
  });
}

/** Ends a link for good. */
export async function closeLink(tx: Tx, token: string | null): Promise<void> {
  if (token) await tx.shareLookup.deleteMany({ where: { tokenHash: hashToken(token) } });
}
