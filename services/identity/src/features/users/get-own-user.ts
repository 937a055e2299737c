import { actingUserId } from '@tandem/caller';
import type { users } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { withTeams } from './user.ts';

export const getOwnUser: Handler<typeof users.getOwnUser> = async ({ caller, tx }) => {
  const id = actingUserId(caller);
  const row = id === undefined ? null : await tx.user.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return withTeams(tx, row);
};
