import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import type { RoleRecord } from './role.ts';

export const listRoles: Handler<typeof roles.listRoles> = ({ tx, list }) =>
  list<RoleRecord>({ model: tx.role, searchIn: ['name'] });
