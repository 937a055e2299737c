import type { OpenWork } from '@tandem/contract';
import type { users } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { userLeaves } from './user-leaves.ts';

export const suspendUser = (tools: Tools): Handler<typeof users.suspendUser, OpenWork | undefined> =>
  userLeaves(tools, 'suspended');
