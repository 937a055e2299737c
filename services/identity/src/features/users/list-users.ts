import type { users } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asUsers, visibleTo } from './user.ts';

export const listUsers: Handler<typeof users.listUsers> = async ({ query, caller, tx, list }) => {
  const { status, roleId, teamId, managerId } = query;
  const page = await list({
    model: tx.user,
    where: {
      ...(status && { status }),
      ...(roleId !== undefined && { roleId }),
      ...(managerId !== undefined && { managerId }),
      ...(teamId !== undefined && { teams: { some: { teamId } } }),
      ...visibleTo(caller, 'users:read'),
    },
    searchIn: ['email', 'firstName', 'lastName'],
  });
  return { ...page, items: await asUsers(tx, page.items) };
};
