import type { account } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockUser } from '../users/user.ts';
import { mailLimit } from './account-mail.ts';
import { checkLinks } from './account-token.ts';
import { sendVerification } from './verification.ts';

export const requestEmailVerification = (tools: Tools): Handler<typeof account.requestEmailVerification> => ({
  async check({ caller, tx }) {
    const user = await tx.user.findFirst({ where: { id: caller.userId ?? 0 } });
    // Every request counts as a failure: five a minute for one address, however many tenants it was given to.
    if (user && !user.emailVerifiedAt)
      await tools.limiter.guard({ email: `verify ${user.email}`, ip: '' }, async () => undefined);
  },
  async run({ caller, tx, schedule }) {
    const user = await lockUser(tx, { id: caller.userId ?? 0 });
    if (user.emailVerifiedAt) throw fail('already_verified');
    await checkLinks(tx, user.id, 'email_verification');
    const expiresAt = await sendVerification({ tx, schedule }, user, tools);
    if (!expiresAt) throw mailLimit();
    return { email: user.email, expiresAt };
  },
});
