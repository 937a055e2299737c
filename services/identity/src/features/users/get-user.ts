import type { users } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { visibleTo, withTeams } from './user.ts';

export const getUser: Handler<typeof users.getUser> = async ({ params, caller, tx }) => {
  const row = await tx.user.findFirst({ where: { AND: [{ id: params.id }, visibleTo(caller, 'users:read')] } });
  if (!row) throw fail('not_found');
  return withTeams(tx, row);
};
