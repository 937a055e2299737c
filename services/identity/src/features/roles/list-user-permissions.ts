import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readPerson } from './read-person.ts';
import { rightsOf } from './rights.ts';

export const listUserPermissions: Handler<typeof roles.listUserPermissions> = async ({ params, caller, tx }) => {
  const { id: userId, status, role } = await readPerson(tx, caller, params.id);
  const rights = status === 'active' ? rightsOf(role.permissions) : [];
  return { userId, role, permissions: rights.map((right) => ({ ...right, roleId: role.id })) };
};
