import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { enroll, findConfirmed } from '../totp/totp.ts';
import { readChallenged } from './challenged.ts';
import { lockAccount } from './complete-sign-in.ts';

export const enrollTotpAtLogin =
  (tools: Tools): Handler<typeof signIn.enrollTotpAtLogin> =>
  async ({ body, inTenant }) => {
    const { user, scope } = await readChallenged(body.challengeToken, inTenant, tools);
    return inTenant({ ...scope, actor: asActor(user) }, async ({ tx }) => {
      const account = await lockAccount(tx, user);
      if (!account) throw fail('bad_challenge');
      // A password alone must not replace a second factor.
      if (await findConfirmed(tx, user.id)) throw fail('totp_on');
      return enroll(tx, account, tools);
    });
  };
