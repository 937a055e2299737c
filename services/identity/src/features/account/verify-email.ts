import type { Emit } from '@tandem/events';
import { type account, userEmailChanged, userEmailVerified, userUpdated } from '@tandem/identity-contract';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { leavesSso } from '../sso/connection.ts';
import { lockUser, markAddressProven, moveAddress, withTeams, writeUser } from '../users/user.ts';
import { type Inside, readerOf, sendLetter } from './account-mail.ts';
import { badLink, findLink, useLink, withdrawLinks } from './account-token.ts';
import { emailChangeNotice } from './letters.ts';

type Transaction = Inside & { emit: Emit<(typeof account.verifyEmail)['emits'][number]> };

export const verifyEmail =
  (tools: Tools): Handler<typeof account.verifyEmail> =>
  async ({ body, inTenant }) => {
    const link = tools.links.read(body.token, ['email_verification', 'email_change']);
    if (!link) throw badLink();
    const scope = { tenantId: link.tenantId, environment: 'live' as const };
    const { user, email } = await inTenant(scope, ({ tx }) => findLink(tx, link.hash));
    await inTenant({ ...scope, actor: asActor(user) }, async (inside) => {
      const locked = await lockUser(inside.tx, { id: user.id });
      await useLink(inside.tx, link.hash);
      if (locked.status === 'deactivated') throw badLink();
      if (link.purpose === 'email_change') {
        // Single sign-on may have been enforced since the link was sent.
        if (await leavesSso(inside.tx, { user: locked, role: locked.role }, email)) throw badLink();
        return changeAddress(inside, locked, email, tools);
      }
      // The link belongs to the address that the user had then.
      if (locked.email !== email) throw badLink();
      await verifyAddress(inside, locked, tools);
    });
    return { email, emailVerified: true };
  };

async function verifyAddress(
  { tx, emit }: Transaction,
  user: { id: number; tenantId: number; email: string },
  tools: Tools,
): Promise<void> {
  await writeUser(tx, user.id, { emailVerifiedAt: new Date() });
  await markAddressProven(tx, user, tools.pepper);
  await withdrawLinks(tx, user.id, 'email_verification');
  emit(userEmailVerified, { data: { userId: user.id }, record: { id: user.id } });
}

async function changeAddress(
  inside: Transaction,
  user: { id: number; tenantId: number; email: string; firstName: string },
  email: string,
  tools: Tools,
): Promise<void> {
  const { tx, emit } = inside;
  const { id, tenantId, email: from } = user;
  const updated = await withTeams(tx, await writeUser(tx, id, { email, emailVerifiedAt: new Date() }));
  await moveAddress(tx, { tenantId, from, to: email, isProven: true }, tools.pepper);
  await withdrawLinks(tx, id, 'email_change');
  // Links that were sent to the old address.
  await withdrawLinks(tx, id, 'password_reset');
  emit(userEmailChanged, { data: { userId: id }, record: { id } });
  const changes = { email: { from, to: email } };
  emit(userUpdated, { data: { userId: id, fields: ['email'], status: updated.status }, record: updated, changes });
  const letter = emailChangeNotice(await readerOf(tx, user), { newEmail: email, isDone: true });
  await sendLetter(inside, tools, { to: from, template: 'email_changed', letter });
}
