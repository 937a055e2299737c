import { namesHandler } from '@tandem/service';
import { nameOf, type Tx } from '../../handler.ts';
import { visibleTo } from '../users/user.ts';

/** Reads names under the permission that retrieving the record needs. */
export const nameIdentityRecords = namesHandler<Tx, 'user' | 'team' | 'role' | 'api_key'>({
  user: {
    permission: 'users:read',
    narrows: true,
    async find(tx, ids, caller) {
      const users = await tx.user.findMany({ where: { AND: [{ id: { in: ids } }, visibleTo(caller, 'users:read')] } });
      return users.map((user) => ({ id: user.id, name: nameOf(user) }));
    },
  },
  team: {
    permission: 'teams:read',
    find: (tx, ids) => tx.team.findMany({ where: { id: { in: ids } } }),
  },
  role: {
    permission: 'users:read',
    find: (tx, ids) => tx.role.findMany({ where: { id: { in: ids } } }),
  },
  api_key: {
    permission: 'api_keys:read',
    find: (tx, ids) => tx.apiKey.findMany({ where: { id: { in: ids } } }),
  },
});
