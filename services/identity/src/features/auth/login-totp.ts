import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { accept, confirm, limited, lockTotp, wrongCode } from '../totp/totp.ts';
import { readChallenged } from './challenged.ts';
import { completeSignIn, lockAccount } from './complete-sign-in.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';

export const loginTotp =
  (tools: Tools): Handler<typeof signIn.loginTotp> =>
  async ({ body, caller, inTenant }) => {
    const { code, challengeToken } = body;
    const { user, scope } = await readChallenged(challengeToken, inTenant, tools);
    const attempt = () =>
      inTenant({ ...scope, actor: asActor(user) }, async ({ tx, emit, schedule }) => {
        const account = await lockAccount(tx, user);
        if (!account) throw fail('bad_challenge');
        const { confirmed, pending } = await lockTotp(tx, user.id);
        if (!confirmed && !pending) throw fail('no_enrollment');
        const method = confirmed
          ? await accept(tx, emit, { row: confirmed, code }, tools)
          : pending && (await confirm({ tx, emit, schedule }, { user, pending, code }, tools)) && 'totp';
        return method ? completeSignIn(tx, emit, { account, caller, method }, tools) : undefined;
      });
    const signedIn = await limited({ tenantId: scope.tenantId, userId: user.id }, attempt, tools);
    if (signedIn) return signedIn;
    tools.inBackground(() => recordFailedSignIn(inTenant, scope.tenantId, user.id));
    throw wrongCode();
  };
