import type { signIn } from '@tandem/identity-contract';
import { type Context, fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { isOfPassword, readChallenge } from './challenge.ts';
import { findAccount } from './complete-sign-in.ts';

type InTenant = Context<typeof signIn.enrollTotpAtLogin, Tx>['inTenant'];

/**
 * Loads the user of a challenge token. The transaction that acts on it locks them with `lockAccount`.
 * @throws ApiError 401 if the token is invalid or has expired, or if the user may no longer sign in
 */
export async function readChallenged(token: string, inTenant: InTenant, { seal }: Tools) {
  const challenge = readChallenge(token, seal);
  if (!challenge) throw fail('bad_challenge');
  const scope = { tenantId: challenge.tenantId, environment: 'live' as const };
  const account = await inTenant(scope, ({ tx }) => findAccount(tx, challenge.userId));
  if (!account || !isOfPassword(challenge, account.user)) throw fail('bad_challenge');
  return { user: account.user, scope };
}
