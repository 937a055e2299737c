import type { internalAssignees, internalUsers, users } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateUser } from './activate-user.ts';
import { createUser } from './create-user.ts';
import { deactivateUser } from './deactivate-user.ts';
import { findAssignees } from './find-assignees.ts';
import { findUser } from './find-user.ts';
import { findUserPermissions } from './find-user-permissions.ts';
import { getOwnUser } from './get-own-user.ts';
import { getUser } from './get-user.ts';
import { listActiveUsers } from './list-active-users.ts';
import { listUsers } from './list-users.ts';
import { setUserRole } from './set-user-role.ts';
import { suspendUser } from './suspend-user.ts';
import { updateUser } from './update-user.ts';

export const userHandlers = (tools: Tools) =>
  ({
    createUser: createUser(tools),
    listUsers,
    getOwnUser,
    getUser,
    updateUser: updateUser(tools),
    activateUser: activateUser(tools),
    suspendUser: suspendUser(tools),
    deactivateUser: deactivateUser(tools),
    setUserRole: setUserRole(tools),
    findUser,
    findAssignees,
    listActiveUsers,
    findUserPermissions,
  }) satisfies Handlers<typeof users & typeof internalUsers & typeof internalAssignees, Tx>;
