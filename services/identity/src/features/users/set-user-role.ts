import { type users, userUpdated } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkMayAssign, checkRank } from '../../permissions.ts';
import { assignableRole, checkNotOwnRole, checkOwnerRemains, lockUser, withTeams } from './user.ts';

export const setUserRole =
  (tools: Tools): Handler<typeof users.setUserRole> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const user = await lockUser(tx, params);
    ifMatch(user);
    const role = await assignableRole(tx, body.roleId);
    if (role.id === user.roleId) return withTeams(tx, user);
    await checkOwnerRemains(tx, user);
    checkNotOwnRole(caller, user.id);
    checkRank(caller, user.role.permissions);
    checkMayAssign(caller, role.permissions);
    const [row] = await tx.user.updateManyAndReturn({
      where: { id: user.id },
      data: { roleId: role.id, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    const updated = await withTeams(tx, row);
    const changes = { roleId: { from: user.roleId, to: role.id } };
    emit(userUpdated, {
      data: { userId: user.id, fields: ['roleId'], status: updated.status },
      record: updated,
      changes,
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  };
