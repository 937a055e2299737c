import {
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  sharedErrors,
  signedIn,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { Password, userLoggedOut } from './auth.ts';
import { notificationCreated } from './notifications.ts';

export const userStatuses = ['active', 'suspended', 'deactivated'] as const;
export const UserStatus = z
  .enum(userStatuses)
  .describe(
    'The status of the user. Only active users can sign in, be assigned records, or be the target of X-On-Behalf-Of',
  );

/** Addresses are compared and stored in lower case, so that two accounts cannot differ only by case. */
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
  teamIds: z.array(id('team')).describe('The ids of the teams of the user'),
  status: UserStatus,
  allowedTransitions: z.array(UserStatus).meta({
    description: 'The statuses that this user can currently change to',
    examples: [['suspended', 'deactivated']],
  }),
  lastLoginAt: timestamp()
    .nullable()
    .meta({ description: 'When the user last signed in', examples: ['2026-03-04T08:02:47.000Z'] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('user') });

/** Every internal request carries the team ids of the caller. */
export const teamsOfUserMax = 100;

const TeamIds = z.array(id('team')).max(teamsOfUserMax, { error: `Must contain at most ${teamsOfUserMax} teams` });

export const userCreated = event('user.created', {
  description: 'A user is created',
  action: 'user.create',
  target: 'user',
  data: z.object({ userId: id('user'), roleId: id('role') }),
  record: User,
});

export const userUpdated = event('user.updated', {
  description: 'The fields, role or status of a user are updated',
  action: 'user.update',
  target: 'user',
  data: z.object({ userId: id('user'), fields: z.array(z.string()), status: UserStatus }),
  record: User,
});

/** Declared here instead of with the teams, because operations on users change team members too. */
export const teamMembersChanged = event('team.members_changed', {
  description: 'Users are added to or removed from a team',
  action: 'team.change_members',
  target: 'team',
  data: z.object({ teamId: id('team'), added: z.array(id('user')), removed: z.array(id('user')) }),
  record: z.object({ id: id('team') }),
});

const userErrors = {
  email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
  last_owner: [
    409,
    'The last active owner cannot be deactivated or assigned another role; make another user owner first',
  ],
} as const;

export const users = operations({
  createUser: {
    method: 'POST',
    path: '/v1/users',
    permission: 'users:write',
    summary: 'Create a user',
    description:
      '`roleId` defaults to the role member. You cannot assign a role with permissions that you do not have.',
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
    description: '`search` covers the e-mail address, first name and last name.',
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
    summary: 'Retrieve the current user',
    description: 'Returns the signed-in user, the user in X-On-Behalf-Of, or otherwise the creator of the API key.',
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
      'Allowed status changes: active → suspended, deactivated; suspended → active, deactivated; deactivated → active. All sessions of a user who is no longer active end. API keys that the user created keep working if they have their own permissions; the others stop working until the user is active again. The platform notifies the users who manage API keys. You cannot change your own role. `teamIds` replaces all teams of the user; callers who can update only themselves cannot set it.',
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
    errors: { ...userErrors, transition_refused: sharedErrors.transition_refused },
  },
  setUserRole: {
    method: 'PUT',
    path: '/v1/users/:id/role',
    permission: 'users:manage',
    summary: 'Set the role of a user',
    description:
      'You cannot assign a role with permissions that you do not have, or change the role of the last owner.',
    params: withId,
    body: z.object({ roleId: id('role') }),
    reply: User,
    message: 'Role set',
    emits: [userUpdated],
    errors: { last_owner: userErrors.last_owner },
  },
});
