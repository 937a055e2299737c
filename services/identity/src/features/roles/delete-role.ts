import type { FieldError } from '@tandem/contract';
import { roleDeleted, type roles } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { lockRole } from './role.ts';

export const deleteRole: Handler<typeof roles.deleteRole> = async ({ params, tx, emit, ifMatch }) => {
  const role = await lockRole(tx, params.id);
  if (role.isSystem) throw fail('system_role');
  ifMatch(role);
  const uses = await usesOf(tx, role.id);
  if (uses.length) throw fail('role_in_use', uses);
  await tx.role.deleteMany({ where: { id: role.id } });
  emit(roleDeleted, { data: { roleId: role.id }, record: role });
  return { id: role.id, deleted: true };
};

/** The records that still need a role, with the remedy for each. */
async function usesOf(tx: Tx, roleId: number): Promise<FieldError[]> {
  const users = await tx.user.count({ where: { roleId } });
  const invitations = await tx.invitation.count({
    where: { roleId, status: 'pending', expiresAt: { gt: new Date() } },
  });
  const connections = await tx.ssoConnection.count({ where: { defaultRoleId: roleId } });
  const causes: [number, FieldError][] = [
    [users, { field: 'users', message: `Assigned to ${users}, including inactive ones; assign them another role` }],
    [invitations, { field: 'invitations', message: `Used by ${invitations} pending ones; revoke them` }],
    [
      connections,
      { field: 'sso.defaultRoleId', message: 'Is the role of users of single sign-on; choose another one there' },
    ],
  ];
  return causes.flatMap(([count, error]) => (count ? [error] : []));
}
