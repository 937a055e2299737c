import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readPerson } from './read-person.ts';
import { rightTo } from './rights.ts';

export const checkPermission: Handler<typeof roles.checkPermission> = async ({ query, caller, tx }) => {
  const { permission, userId } = query;
  const none = { permission, allowed: false, reach: null, grantedBy: null, role: null };
  // Permissions of a key come from the role of its owner, also when it acts on behalf of somebody else.
  const person = userId === undefined ? undefined : await readPerson(tx, caller, userId);
  const granted = person ? (person.status === 'active' ? person.role.permissions : []) : caller.permissions;
  const right = rightTo(granted, permission);
  if (!right) return none;
  const owner = person ?? (await tx.user.findFirst({ where: { id: caller.userId ?? 0 }, include: { role: true } }));
  return { permission, allowed: true, ...right, role: owner?.role ?? null };
};
