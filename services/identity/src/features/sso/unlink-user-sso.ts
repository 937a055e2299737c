import { type sso, userUnlinked } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { endSessions } from '../auth/session.ts';
import { checkAccountReach } from '../teams/reach.ts';
import { lockUser } from '../users/user.ts';

export const unlinkUserSso =
  (tools: Tools): Handler<typeof sso.unlinkUserSso> =>
  async ({ params, caller, tx, emit, afterCommit }) => {
    const user = await lockUser(tx, params);
    checkRank(caller, user.role.permissions);
    await checkAccountReach(tx, caller, user.id);
    const { count } = await tx.userIdentity.deleteMany({ where: { userId: user.id } });
    if (!count) throw fail('not_linked');
    emit(userUnlinked, { data: { userId: user.id }, record: { id: user.id } });
    await endSessions(tx, emit, { where: { userId: user.id }, reason: 'sso_unlinked' });
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return { id: user.id, deleted: true };
  };
