import type { OpenWork } from '@tandem/contract';
import type { users } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { userLeaves } from './user-leaves.ts';

export const deactivateUser = (tools: Tools): Handler<typeof users.deactivateUser, OpenWork | undefined> =>
  userLeaves(tools, 'deactivated');
