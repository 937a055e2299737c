import { roleDeleted, type roles } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockRole } from './role.ts';

export const deleteRole: Handler<typeof roles.deleteRole> = async ({ params, tx, emit, ifMatch }) => {
  const role = await lockRole(tx, params.id);
  if (role.isSystem) throw fail('system_role');
  ifMatch(role);
  if (await tx.user.count({ where: { roleId: role.id } })) throw fail('role_in_use');
  const invited = { roleId: role.id, status: 'pending', expiresAt: { gt: new Date() } };
  if (await tx.invitation.count({ where: invited })) throw fail('role_in_use');
  if (await tx.ssoConnection.count({ where: { defaultRoleId: role.id } })) throw fail('role_in_use');
  await tx.role.deleteMany({ where: { id: role.id } });
  emit(roleDeleted, { data: { roleId: role.id }, record: role });
  return { id: role.id, deleted: true };
};
