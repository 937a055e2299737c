import { type portalUsers, portalUserUpdated } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPortalUser, checkOtherOwner, lockPortalUser, portalUserEvent } from './portal-user.ts';

export const updatePortalUser: Handler<typeof portalUsers.updatePortalUser> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const before = await lockPortalUser(tx, params);
  ifMatch(before);
  const { role } = body;
  if (role === undefined || role === before.role) return asPortalUser(before);
  await checkOtherOwner(tx, before);
  const [row] = await tx.portalUser.updateManyAndReturn({
    where: { id: before.id },
    data: { role, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const user = asPortalUser(row);
  emit(portalUserUpdated, { ...portalUserEvent(user), changes: { role: { from: before.role, to: role } } });
  return user;
};
