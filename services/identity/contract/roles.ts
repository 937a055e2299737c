import { event, id, listQuery, name, operations, page, signedIn, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Permissions } from './api-keys.ts';

export const Role = z.object({
  id: id('role'),
  tenantId: id('tenant'),
  name: name(),
  description: text(500).nullable(),
  permissions: z.array(z.string()),
  /** owner, admin, manager, member and viewer come with every tenant and stay as they are. */
  isSystem: z.boolean(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('role') });
const roleId = z.object({ roleId: id('role') });
const roleEvent = { target: 'role', data: roleId, record: Role } as const;

export const roleCreated = event('role.created', {
  ...roleEvent,
  description: 'A role is made',
  action: 'role.create',
});
export const roleUpdated = event('role.updated', {
  ...roleEvent,
  description: 'A role changes',
  action: 'role.update',
});
export const roleDeleted = event('role.deleted', {
  ...roleEvent,
  description: 'A role is deleted',
  action: 'role.delete',
});

const name_taken = [409, 'Another role of the tenant has this name'] as const;
const system_role = [409, 'The roles that come with every tenant cannot be changed'] as const;

export const roles = operations({
  listPermissions: {
    method: 'GET',
    path: '/v1/permissions',
    permission: signedIn,
    summary: 'List every permission that can be granted',
    description:
      'In roles and keys `<resource>:*` stands for every action of a resource and `*` for everything; `manage` includes the other actions. A role may narrow one to `:own` or `:team`.',
    reply: z.array(z.object({ slug: z.string(), description: z.string() })),
    message: 'Permissions retrieved',
  },
  checkPermission: {
    method: 'GET',
    path: '/v1/permissions/check',
    permission: signedIn,
    summary: 'Whether the caller has a permission',
    query: z.object({ permission: Permissions.element }),
    reply: z.object({
      permission: z.string(),
      allowed: z.boolean(),
      /** Whose records it reaches; null when it is not allowed. */
      reach: z.enum(['all', 'team', 'own']).nullable(),
    }),
    message: 'Permission checked',
  },
  listRoles: {
    method: 'GET',
    path: '/v1/roles',
    permission: 'users:read',
    summary: 'List roles',
    description: '`search` looks into the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']),
    reply: page(Role),
    message: 'Roles retrieved',
  },
  createRole: {
    method: 'POST',
    path: '/v1/roles',
    permission: 'users:manage',
    summary: 'Create a role',
    description: 'Permissions above the caller’s own are refused.',
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
    summary: 'Update a role',
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
    params: withId,
    reply: z.object({ id: id('role'), deleted: z.literal(true) }),
    message: 'Role deleted',
    emits: [roleDeleted],
    errors: { system_role, role_in_use: [409, 'Users have this role; give them another one first'] },
  },
});
