import { event, id, listQuery, name, operations, page, phone, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Password, userLoggedOut } from './auth.ts';
import { notificationCreated } from './notifications.ts';

export const userStatuses = ['active', 'suspended', 'deactivated'] as const;
const UserStatus = z.enum(userStatuses, { error: `Must be one of ${userStatuses.join(', ')}` });

/** Addresses are compared and kept in lower case: nobody has two accounts by the case of a letter. */
export const Email = z
  .string({ error: 'Must be a valid e-mail address' })
  .trim()
  .toLowerCase()
  .check(z.email({ error: 'Must be a valid e-mail address' }))
  .max(254, 'Must be at most 254 characters');

export const User = z.object({
  id: id('user'),
  tenantId: id('tenant'),
  email: z.string(),
  firstName: name(),
  lastName: name(),
  phone: phone().nullable(),
  roleId: id('role'),
  teamIds: z.array(id('team')),
  /** Only active users can sign in, be assigned work or be acted for. */
  status: UserStatus,
  /** The statuses that this user may move to now. */
  allowedTransitions: z.array(UserStatus),
  lastLoginAt: timestamp().nullable(),
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
    description: 'Without roleId the user becomes a member. A role above the caller’s own permissions is refused.',
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
    description: '`search` looks into e-mail address, first and last name.',
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
    summary: 'Retrieve the user who is calling',
    description: 'The user signed in or acted for, else the creator of the API key.',
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
      'active → suspended, deactivated; suspended → active, deactivated; deactivated → active. Who is no longer active is signed out everywhere. API keys that the user created go on working if they have permissions of their own; the others may do nothing until the user is active again. Those who manage API keys are notified. Nobody changes their own role. `teamIds` are all teams of the user from then on; whoever may change only themselves cannot set them.',
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
    summary: 'Give a user a role',
    params: withId,
    body: z.object({ roleId: id('role') }),
    reply: User,
    message: 'Role set',
    emits: [userUpdated],
    errors: { last_owner: userErrors.last_owner },
  },
});
