import { createHash } from 'node:crypto';
import type { LoginChallenge } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { findConfirmed } from '../totp/totp.ts';

const validSeconds = 300;
const context = 'login challenge';

const Challenge = z.object({ tenantId: z.int(), userId: z.int(), password: z.string(), expiresAt: z.int() });

/** A user whose password was correct. */
interface Proven {
  user: { id: number; passwordHash: string };
  tenant: { tenantId: number; requireTotp: boolean };
}

/** The second factor that a correct password does not replace; undefined if the user needs none. */
export async function challengeFor(
  tx: Tx,
  { user, tenant }: Proven,
  seal: Seal,
): Promise<z.output<typeof LoginChallenge> | undefined> {
  const confirmed = await findConfirmed(tx, user.id);
  if (!confirmed && !tenant.requireTotp) return undefined;
  const content: z.output<typeof Challenge> = {
    tenantId: tenant.tenantId,
    userId: user.id,
    password: digestOf(user),
    expiresAt: Date.now() + validSeconds * 1_000,
  };
  const sealed = seal.seal(JSON.stringify(content), context);
  return {
    challenge: confirmed ? 'totp' : 'totp_enrollment',
    challengeToken: sealed.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    expiresIn: validSeconds,
  };
}

/** Reads a challenge token; undefined if it is not one of ours or has expired. */
export function readChallenge(token: string, seal: Seal, now = Date.now()): z.output<typeof Challenge> | undefined {
  try {
    const challenge = Challenge.parse(JSON.parse(seal.open(token, context)));
    return challenge.expiresAt > now ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the password is still the one that was proven. A new password invalidates challenges. */
export function isOfPassword({ password }: { password: string }, user: { passwordHash: string }): boolean {
  return password === digestOf(user);
}

function digestOf({ passwordHash }: { passwordHash: string }): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}
