import type { internalRoles, roles } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { checkPermission } from './check-permission.ts';
import { createRole } from './create-role.ts';
import { deleteRole } from './delete-role.ts';
import { findRole } from './find-role.ts';
import { getRole } from './get-role.ts';
import { listPermissions } from './list-permissions.ts';
import { listRoles } from './list-roles.ts';
import { listUserPermissions } from './list-user-permissions.ts';
import { updateRole } from './update-role.ts';

export const roleHandlers = (tools: Tools) =>
  ({
    listPermissions,
    checkPermission,
    listUserPermissions,
    listRoles,
    createRole,
    getRole,
    updateRole: updateRole(tools),
    deleteRole,
    findRole,
  }) satisfies Handlers<typeof roles & typeof internalRoles, Tx>;
