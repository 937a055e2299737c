import { event, id, listQuery, name, operations, page, signedIn, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Permissions } from './api-keys.ts';

export const Role = z.object({
  id: id('role'),
  tenantId: id('tenant'),
  name: name().meta({ examples: ['Sales'] }),
  description: text(500)
    .nullable()
    .meta({ examples: ['Manages leads and views partners'] }),
  permissions: z
    .array(z.string())
    .meta({ description: 'The permissions of users with this role', examples: [['leads:write', 'partners:read']] }),
  isSystem: z.boolean().meta({
    description: 'Whether the role is a built-in role, which cannot be changed: owner, admin, manager, member, viewer',
    examples: [false],
  }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Which records a permission covers. */
export const Reach = z.enum(['all', 'team', 'own']).describe('Which records the permission covers');
const GrantedBy = z.string().meta({ examples: ['leads:*'] });
const RoleName = z.object({
  id: id('role'),
  name: name().meta({ description: 'The name of the role', examples: ['Sales'] }),
});

/** A permission that can be granted. */
export const PermissionInfo = z.object({
  slug: z
    .string()
    .meta({ description: 'The name of the permission, as in roles and API keys', examples: ['leads:read'] }),
  description: z.string().meta({ description: 'The description of the permission', examples: ['Read leads'] }),
});

const withId = z.object({ id: id('role') });
const roleId = z.object({ roleId: id('role') });
const roleEvent = { target: 'role', data: roleId, record: Role } as const;

export const roleCreated = event('role.created', {
  ...roleEvent,
  description: 'A role is created',
  action: 'role.create',
});
export const roleUpdated = event('role.updated', {
  ...roleEvent,
  description: 'A role is updated',
  action: 'role.update',
});
export const roleDeleted = event('role.deleted', {
  ...roleEvent,
  description: 'A role is deleted',
  action: 'role.delete',
});

const name_taken = [409, 'Another role of the tenant has this name; choose a different one'] as const;
const system_role = [409, 'Built-in roles cannot be changed; create a new role'] as const;

export const roles = operations({
  listPermissions: {
    method: 'GET',
    path: '/v1/permissions',
    permission: signedIn,
    summary: 'List the permissions',
    description:
      'In roles and keys, `<resource>:*` grants every action on a resource and `*` grants everything; `manage` includes the other actions. A role can limit a permission to own or team records with the suffix `:own` or `:team`; `:all` is the same as no suffix.',
    reply: z.array(PermissionInfo),
    message: 'Permissions retrieved',
  },
  checkPermission: {
    method: 'GET',
    path: '/v1/permissions/check',
    permission: signedIn,
    summary: 'Check a permission',
    description:
      'Returns whether the caller has the permission, which records it covers, and the role that it comes from. With `userId`, the same for another user, which requires `users:read`.',
    query: z.object({
      permission: Permissions.element,
      userId: id('user').optional().describe('The user to check, instead of the caller'),
    }),
    reply: z.object({
      permission: z.string().meta({ description: 'The permission that was checked', examples: ['leads:read'] }),
      allowed: z.boolean().describe('Whether the caller, or the given user, has the permission'),
      reach: Reach.nullable().describe('Which records the permission covers; null without the permission'),
      grantedBy: GrantedBy.nullable().describe(
        'The permission of the role or key that grants it; null without the permission',
      ),
      role: RoleName.nullable().describe(
        'The role that the right comes from; for a key, the role of its owner. Null without the permission',
      ),
    }),
    message: 'Permission checked',
  },
  listUserPermissions: {
    method: 'GET',
    path: '/v1/users/:id/permissions',
    permission: signedIn,
    summary: 'List the effective permissions of a user',
    description:
      'Each permission that the user has now, with the records that it covers and the role that it comes from. Empty for a user who is not active. Other users than oneself require `users:read`. API keys of the user may have fewer permissions.',
    params: z.object({ id: id('user') }),
    reply: z.object({
      userId: id('user').describe('The user'),
      role: RoleName.describe('The role of the user'),
      permissions: z
        .array(
          z.object({
            permission: z.string().meta({ description: 'The permission', examples: ['leads:read'] }),
            reach: Reach.describe('Which records the permission covers'),
            grantedBy: GrantedBy.describe('The permission of the role that grants it'),
            roleId: id('role').describe('The role that the permission comes from'),
          }),
        )
        .describe('The effective permissions'),
    }),
    message: 'Permissions retrieved',
  },
  listRoles: {
    method: 'GET',
    path: '/v1/roles',
    permission: 'users:read',
    summary: 'List roles',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']),
    reply: page(Role),
    message: 'Roles retrieved',
  },
  createRole: {
    method: 'POST',
    path: '/v1/roles',
    permission: 'users:manage',
    feature: 'custom_roles',
    summary: 'Create a role',
    description:
      'You cannot grant permissions that you do not have. Users of a role without `notifications:read` cannot read their notifications.',
    body: z.object({ name: name(), description: text(500).nullish(), permissions: Permissions }),
    reply: Role,
    status: 201,
    message: 'Role created',
    emits: [roleCreated],
    errors: { name_taken },
  },
  getRole: {
    method: 'GET',
    path: '/v1/roles/:id',
    permission: 'users:read',
    summary: 'Retrieve a role',
    params: withId,
    reply: Role,
    message: 'Role retrieved',
  },
  updateRole: {
    method: 'PATCH',
    path: '/v1/roles/:id',
    permission: 'users:manage',
    feature: 'custom_roles',
    summary: 'Update a role',
    description: 'You cannot grant permissions that you do not have. Built-in roles cannot be changed.',
    params: withId,
    body: z.object({ name: name().optional(), description: text(500).nullish(), permissions: Permissions.optional() }),
    reply: Role,
    message: 'Role updated',
    emits: [roleUpdated],
    errors: { name_taken, system_role },
  },
  deleteRole: {
    method: 'DELETE',
    path: '/v1/roles/:id',
    permission: 'users:manage',
    summary: 'Delete a role',
    description: 'A role that is assigned to users cannot be deleted.',
    params: withId,
    reply: z.object({ id: id('role'), deleted: z.literal(true).describe('Always true') }),
    message: 'Role deleted',
    emits: [roleDeleted],
    errors: {
      system_role,
      role_in_use: [409, 'The role is in use; `errors` names its users, pending invitations or single sign-on'],
    },
  },
});
