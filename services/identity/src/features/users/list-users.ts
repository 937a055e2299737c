import type { users } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asUser, visibleTo } from './user.ts';

export const listUsers: Handler<typeof users.listUsers> = async ({ query, caller, tx, list }) => {
  const { status, roleId } = query;
  const page = await list({
    model: tx.user,
    where: { ...(status && { status }), ...(roleId !== undefined && { roleId }), ...visibleTo(caller, 'users:read') },
    searchIn: ['email', 'firstName', 'lastName'],
  });
  return { ...page, items: page.items.map(asUser) };
};
