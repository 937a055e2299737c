import { portalUserDeleted, type portalUsers } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { endPortalSessionsJob } from '../portal/portal-jobs.ts';
import { asPortalUser, checkOtherOwner, lockPortalUser, portalUserEvent } from './portal-user.ts';

export const deletePortalUser: Handler<typeof portalUsers.deletePortalUser> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const row = await lockPortalUser(tx, params);
  ifMatch(row);
  await checkOtherOwner(tx, row);
  await tx.portalUser.deleteMany({ where: { id: row.id } });
  emit(portalUserDeleted, portalUserEvent(asPortalUser(row)));
  const { id: portalUserId, partnerId } = row;
  await schedule(endPortalSessionsJob, [{ partnerId, portalUserId, exceptSessionId: null }]);
  return { id: portalUserId, deleted: true };
};
