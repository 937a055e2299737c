import type { account } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { leavesSso } from '../sso/connection.ts';
import { emailTaken, lockUser } from '../users/user.ts';
import { limitMailTo, mailLimit, readerOf, sendLetter } from './account-mail.ts';
import { checkLinks, issueLink } from './account-token.ts';
import { emailChangeNotice, verificationLetter } from './letters.ts';
import { checkCurrentPassword } from './password.ts';

export const changeOwnEmail = (tools: Tools): Handler<typeof account.changeOwnEmail, string> => ({
  check: ({ body, caller, tx }) => {
    const who = { userId: caller.userId ?? 0, password: body.password, ip: caller.ip, field: 'password' };
    return checkCurrentPassword(tx, who, tools);
  },
  async run({ body: { newEmail }, caller, tx, schedule, found: checked }) {
    const user = await lockUser(tx, { id: caller.userId ?? 0 });
    if (user.passwordHash !== checked) throw fail('conflict');
    if (newEmail === user.email) throw failField('newEmail', 'Is your address already');
    if (await tx.user.count({ where: { email: newEmail } })) throw emailTaken('newEmail');
    if (await leavesSso(tx, { user, role: user.role }, newEmail))
      throw failField('newEmail', 'Must be in a domain of your single sign-on, which your company requires');
    await checkLinks(tx, user.id, 'email_change');
    await limitMailTo(newEmail, tools);
    const { id: userId, tenantId } = user;
    const link = await issueLink(tx, { tenantId, userId, purpose: 'email_change', email: newEmail }, tools);
    const reader = await readerOf(tx, user);
    const inside = { tx, schedule };
    const proof = { to: newEmail, template: 'email_change', letter: verificationLetter(reader, link) };
    if (!(await sendLetter(inside, tools, { ...proof, notAfter: link.expiresAt }))) throw mailLimit();
    const letter = emailChangeNotice(reader, { newEmail, isDone: false });
    await sendLetter(inside, tools, { to: user.email, template: 'email_change_notice', letter });
    return { newEmail, expiresAt: link.expiresAt };
  },
});
