import { randomBytes } from 'node:crypto';
import { ssoCookie } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import { z } from 'zod';

export const cookiePath = '/v1/auth/sso';
export const validSeconds = 600;

const sealContext = 'sso sign-in';
const Begun = z.object({
  tenantId: z.int(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.int(),
});

/** A sign-in that has begun, as its cookie holds it. */
export type Begun = z.output<typeof Begun>;

/** Begins a sign-in: random values that the provider and the browser have to return. */
export function begin({ tenantId, returnTo }: { tenantId: number; returnTo: string }): Begun {
  const random = () => randomBytes(32).toString('base64url');
  const expiresAt = Date.now() + validSeconds * 1_000;
  return { tenantId, returnTo, state: random(), nonce: random(), verifier: random(), expiresAt };
}

/** Encrypts it for the cookie, because the verifier is secret. */
export function sealBegun(begun: Begun, seal: Seal): string {
  return seal.seal(JSON.stringify(begun), sealContext).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads the cookie; undefined without one, and when it is not ours or has expired. */
export function readBegun(cookies: { [ssoCookie]?: string }, seal: Seal, now = Date.now()): Begun | undefined {
  try {
    const begun = Begun.parse(JSON.parse(seal.open(cookies[ssoCookie] ?? '', sealContext)));
    return begun.expiresAt > now ? begun : undefined;
  } catch {
    return undefined;
  }
}
