import { type account, userEmailVerified } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { lockUser, markAddressProven } from '../users/user.ts';
import { badLink, findLink, useLink } from './account-token.ts';
import { replacePassword } from './password.ts';

export const resetPassword =
  (tools: Tools): Handler<typeof account.resetPassword> =>
  async ({ body, inTenant }) => {
    const link = tools.links.read(body.token, ['password_reset']);
    if (!link) throw badLink();
    const scope = { tenantId: link.tenantId, environment: 'live' as const };
    const { user } = await inTenant(scope, ({ tx }) => findLink(tx, link.hash));
    // After the look-up, so that only a valid link costs the time of a hash.
    const passwordHash = await hashPassword(body.new);
    await inTenant({ ...scope, actor: asActor(user) }, async ({ tx, emit, schedule }) => {
      const locked = await lockUser(tx, { id: user.id });
      await useLink(tx, link.hash);
      if (locked.status !== 'active' || locked.email !== user.email) throw badLink();
      await replacePassword({ tx, emit, schedule }, locked, { passwordHash, by: 'link' }, tools);
      // The link was sent to this address.
      if (locked.emailVerifiedAt) return;
      await tx.user.updateMany({ where: { id: user.id }, data: { emailVerifiedAt: new Date() } });
      await markAddressProven(tx, locked, tools.pepper);
      emit(userEmailVerified, { data: { userId: user.id }, record: { id: user.id } });
    });
    await tools.invalidateCredentials({ tenantId: link.tenantId, userIds: [user.id] });
    return { reset: true };
  };
