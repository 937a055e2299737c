import { event, id, listQuery, name, operations, page, phone, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Password, userLoggedOut } from './auth.ts';
import { notificationCreated } from './notifications.ts';

export const userStatuses = ['active', 'suspended', 'deactivated'] as const;
export const UserStatus = z
  .enum(userStatuses, { error: `Must be one of ${userStatuses.join(', ')}` })
  .describe('Only active users can sign in, be assigned work or be acted for');

/** Addresses are compared and kept in lower case: nobody has two accounts by the case of a letter. */
export const Email = z
  .string({ error: 'Must be a valid e-mail address' })
  .trim()
  .toLowerCase()
  .check(z.email({ error: 'Must be a valid e-mail address' }))
  .max(254, 'Must be at most 254 characters')
  .meta({ examples: ['ada@example.com'] });

export const User = z.object({
  id: id('user'),
  tenantId: id('tenant'),
  email: z.string().meta({ examples: ['ada@example.com'] }),
  firstName: name().meta({ examples: ['Ada'] }),
  lastName: name().meta({ examples: ['Lovelace'] }),
  phone: phone().nullable(),
  roleId: id('role'),
  teamIds: z.array(id('team')).describe('The teams of the user'),
  status: UserStatus,
  allowedTransitions: z
    .array(UserStatus)
    .meta({ description: 'The statuses that this user can change to now', examples: [['suspended', 'deactivated']] }),
  lastLoginAt: timestamp()
    .nullable()
    .meta({ description: 'When the user signed in last', examples: ['2026-03-04T08:02:47.000Z'] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('user') });

/** Every request inside the fleet carries the teams of whoever sends it. */
export const teamsOfUserMax = 100;

const TeamIds = z.array(id('team')).max(teamsOfUserMax, { error: `Must be at most ${teamsOfUserMax} teams` });

export const userCreated = event('user.created', {
  description: 'A user is added to a tenant',
  action: 'user.create',
  target: 'user',
  data: z.object({ userId: id('user'), roleId: id('role') }),
  record: User,
});

export const userUpdated = event('user.updated', {
  description: 'Fields, role or status of a user change',
  action: 'user.update',
  target: 'user',
  data: z.object({ userId: id('user'), fields: z.array(z.string()), status: UserStatus }),
  record: User,
});

/** Stands here and not with the teams: a user's own operations change who is in them. */
export const teamMembersChanged = event('team.members_changed', {
  description: 'Users join or leave a team',
  action: 'team.change_members',
  target: 'team',
  data: z.object({ teamId: id('team'), added: z.array(id('user')), removed: z.array(id('user')) }),
  record: z.object({ id: id('team') }),
});

const userErrors = {
  email_taken: [409, 'Another user of the tenant has this e-mail address'],
  last_owner: [409, 'The last active owner cannot be deactivated or given another role'],
} as const;

export const users = operations({
  createUser: {
    method: 'POST',
    path: '/v1/users',
    permission: 'users:write',
    summary: 'Create a user',
    description: 'Without `roleId`, the user becomes a member. You cannot assign a role above your own permissions.',
    body: z.object({
      email: Email,
      password: Password,
      firstName: name(),
      lastName: name(),
      phone: phone().nullish(),
      roleId: id('role').optional(),
      teamIds: TeamIds.optional(),
    }),
    reply: User,
    status: 201,
    message: 'User created',
    emits: [userCreated, teamMembersChanged],
    errors: { email_taken: userErrors.email_taken },
  },
  listUsers: {
    method: 'GET',
    path: '/v1/users',
    permission: 'users:read',
    narrows: true,
    summary: 'List users',
    description: '`search` covers e-mail address, first and last name.',
    query: listQuery(['createdAt', 'updatedAt', 'email', 'lastName']).extend({
      status: UserStatus.optional(),
      roleId: id('role').optional(),
      teamId: id('team').optional(),
    }),
    reply: page(User),
    message: 'Users retrieved',
  },
  getOwnUser: {
    method: 'GET',
    path: '/v1/users/me',
    permission: signedIn,
    summary: 'Retrieve the calling user',
    description: 'Returns the user who signed in or is acted for, or else the creator of the API key.',
    reply: User,
    message: 'User retrieved',
  },
  getUser: {
    method: 'GET',
    path: '/v1/users/:id',
    permission: 'users:read',
    narrows: true,
    summary: 'Retrieve a user',
    params: withId,
    reply: User,
    message: 'User retrieved',
  },
  updateUser: {
    method: 'PATCH',
    path: '/v1/users/:id',
    permission: 'users:write',
    narrows: true,
    summary: 'Update a user',
    description:
      'Allowed status changes: active → suspended, deactivated; suspended → active, deactivated; deactivated → active. A user who is no longer active is signed out everywhere. API keys that the user created keep working if they have permissions of their own; the others stop working until the user is active again. The platform notifies the users who manage API keys. You cannot change your own role. `teamIds` replaces all teams of the user; callers who may change only themselves cannot set it.',
    params: withId,
    body: z.object({
      email: Email.optional(),
      firstName: name().optional(),
      lastName: name().optional(),
      phone: phone().nullish(),
      roleId: id('role').optional(),
      teamIds: TeamIds.optional(),
      status: UserStatus.optional(),
    }),
    reply: User,
    message: 'User updated',
    emits: [userUpdated, userLoggedOut, teamMembersChanged, notificationCreated],
    errors: { ...userErrors, transition_refused: [409, 'The user cannot move to this status'] },
  },
  setUserRole: {
    method: 'PUT',
    path: '/v1/users/:id/role',
    permission: 'users:manage',
    summary: 'Set the role of a user',
    description: 'You cannot assign a role above your own permissions, and the last owner keeps the role.',
    params: withId,
    body: z.object({ roleId: id('role') }),
    reply: User,
    message: 'Role set',
    emits: [userUpdated],
    errors: { last_owner: userErrors.last_owner },
  },
});
