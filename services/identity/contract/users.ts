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
  stateTable,
  text,
  timestamp,
  workKinds,
} from '@tandem/contract';
import { z } from 'zod';
import { apiKeyHandedOver } from './api-keys.ts';
import { Password, userLoggedOut } from './auth.ts';
import { notificationCreated } from './notification.ts';
import { teamMembersChanged, teamUpdated } from './team.ts';

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

export const userStates = stateTable<(typeof userStatuses)[number]>('User', {
  created: { active: 'createUser' },
  changes: {
    active: { suspended: 'suspendUser', deactivated: 'deactivateUser' },
    suspended: { active: 'activateUser', deactivated: 'deactivateUser' },
    deactivated: { active: 'activateUser' },
  },
});

export const User = z.object({
  id: id('user'),
  tenantId: id('tenant'),
  email: z.string().meta({ examples: ['ada@example.com'] }),
  emailVerified: z
    .boolean()
    .meta({ description: 'Whether the user proved that the address is theirs', examples: [true] }),
  emailVerifiedAt: timestamp().nullable().describe('When the user proved the address'),
  firstName: name().meta({ examples: ['Ada'] }),
  lastName: name().meta({ examples: ['Lovelace'] }),
  phone: phone().nullable(),
  roleId: id('role'),
  teamIds: z.array(id('team')).describe('The ids of the teams of the user'),
  managerId: id('user').nullable().describe('The active user to whom the user reports'),
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

export const TeamIds = z
  .array(id('team'))
  .max(teamsOfUserMax, { error: `Must contain at most ${teamsOfUserMax} teams` });

export const userCreated = event('user.created', {
  description: 'A user is created',
  action: 'user.create',
  target: 'user',
  data: z.object({ userId: id('user'), roleId: id('role') }),
  record: User,
  whenMissing: { record: { emailVerified: false } },
});

export const userUpdated = event('user.updated', {
  description: 'The fields, role or status of a user are updated',
  action: 'user.update',
  target: 'user',
  data: z.object({ userId: id('user'), fields: z.array(z.string()), status: UserStatus }),
  record: User,
  whenMissing: { record: { emailVerified: false } },
});

const statusEvent = { target: 'user', record: User } as const;
const Reason = text(500).nullable().describe('The reason, as given in the request');
const Successor = id('user').nullable().describe('The active user who takes over the open work and the API keys');

export const userActivated = event('user.activated', {
  ...statusEvent,
  description: 'A suspended or deactivated user becomes active again',
  action: 'user.activate',
  data: z.object({ userId: id('user'), reason: Reason }),
});

/** The services that keep records of people move the open ones of the user to `reassignTo`. */
export const userSuspended = event('user.suspended', {
  ...statusEvent,
  description: 'A user is suspended',
  action: 'user.suspend',
  data: z.object({ userId: id('user'), reassignTo: Successor, reason: Reason }),
});

/** Has the same effects as `user.suspended`. */
export const userDeactivated = event('user.deactivated', {
  ...statusEvent,
  description: 'A user is deactivated',
  action: 'user.deactivate',
  data: z.object({ userId: id('user'), reassignTo: Successor, reason: Reason }),
});

const userErrors = {
  manager_cycle: [409, 'A user cannot report to themselves, directly or through others; choose another manager'],
  email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
  last_owner: [
    409,
    'The last active owner cannot be deactivated or assigned another role; make another user owner first',
  ],
} as const;

const statusErrors = {
  transition_refused: sharedErrors.transition_refused,
  last_owner: userErrors.last_owner,
  own_account: [409, 'You cannot suspend or deactivate yourself; ask another administrator'],
  work_left: [
    409,
    'The user still has open work or active API keys; name a successor in `reassignTo` of POST /v1/users/:id/deactivate or /suspend',
  ],
} as const;

/** Roles are assigned with `users:manage` only, by whatever operation. */
export const roleRights = [{ permission: 'users:manage', for: 'roleId' }] as const;

const leaveBody = z.object({
  reassignTo: id('user').nullish().describe('The active user who takes over the open work and the API keys'),
  reason: text(500)
    .nullish()
    .meta({ description: 'The reason, for the audit log', examples: ['Left the company'] }),
});
const nouns = Object.values(workKinds).map(({ noun }) => noun);
const workPermissions = [...new Set(Object.values(workKinds).map(({ permission }) => permission))];
const leaveDescription = `All sessions of the user end, and API keys of the user may do nothing. While the user has ${nouns.join(', ')} or active API keys, \`reassignTo\` is required; without it the response is 409 with the counts in \`errors\`. Users who report to the user report to the successor, or to nobody. The successor takes over this work in the background, in sandbox too, and the keys: what a key may do is fixed at what it may do now, and never exceeds the role of the successor. Requires every permission of the user; naming a successor requires ${workPermissions.join(', ')} for all records.`;
/** A successor can read the work, so naming one requires write permission for all of it. */
const leaveRights = workPermissions.map((permission) => ({ permission, for: 'reassignTo' }));
const leaveEvents = [userLoggedOut, notificationCreated, apiKeyHandedOver, teamUpdated] as const;

export const users = operations({
  createUser: {
    method: 'POST',
    path: '/v1/users',
    permission: 'users:write',
    also: roleRights,
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
      managerId: id('user').nullish(),
    }),
    reply: User,
    status: 201,
    message: 'User created',
    emits: [userCreated, teamMembersChanged, teamUpdated],
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
      managerId: id('user').optional(),
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
    also: [...roleRights, { permission: 'users:manage', for: 'email' }],
    inSandbox: 'runs_in_live',
    narrows: true,
    summary: 'Update a user',
    description:
      'Allowed status changes: active → suspended, deactivated; suspended → active, deactivated; deactivated → active. A user with open work or active API keys cannot become inactive here, because that needs a successor: use `POST /v1/users/:id/deactivate` or `/suspend`. All sessions of a user who is no longer active end, and their API keys may do nothing until the user is active again. You cannot change your own role or deactivate yourself; change your own address with `POST /v1/users/me/email`. `teamIds` replaces all teams of the user; callers who can update only themselves cannot set it or `managerId`.',
    params: withId,
    body: z.object({
      email: Email.optional(),
      firstName: name().optional(),
      lastName: name().optional(),
      phone: phone().nullish(),
      roleId: id('role').optional(),
      teamIds: TeamIds.optional(),
      managerId: id('user').nullish(),
      status: UserStatus.optional(),
    }),
    reply: User,
    message: 'User updated',
    emits: [userUpdated, userActivated, userSuspended, userDeactivated, teamMembersChanged, ...leaveEvents],
    errors: {
      ...userErrors,
      ...statusErrors,
      too_many_links: [429, 'The address of the user changed too often; try again in an hour'],
    },
  },
  activateUser: {
    method: 'POST',
    path: '/v1/users/:id/activate',
    permission: 'users:write',
    inSandbox: 'runs_in_live',
    summary: 'Activate a user',
    description:
      'The user can sign in again. Work and API keys that a successor took over stay with the successor. Requires every permission of the user.',
    params: withId,
    body: z.object({ reason: leaveBody.shape.reason }),
    reply: User,
    example: { status: 'active', allowedTransitions: ['suspended', 'deactivated'] },
    message: 'User activated',
    emits: [userActivated],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  suspendUser: {
    method: 'POST',
    path: '/v1/users/:id/suspend',
    permission: 'users:write',
    inSandbox: 'runs_in_live',
    also: leaveRights,
    summary: 'Suspend a user',
    description: leaveDescription,
    params: withId,
    body: leaveBody,
    reply: User,
    example: { status: 'suspended', allowedTransitions: ['active', 'deactivated'] },
    message: 'User suspended',
    emits: [userSuspended, userUpdated, ...leaveEvents],
    errors: statusErrors,
  },
  deactivateUser: {
    method: 'POST',
    path: '/v1/users/:id/deactivate',
    permission: 'users:write',
    inSandbox: 'runs_in_live',
    also: leaveRights,
    summary: 'Deactivate a user',
    description: leaveDescription,
    params: withId,
    body: leaveBody,
    reply: User,
    example: { status: 'deactivated', allowedTransitions: ['active'] },
    message: 'User deactivated',
    emits: [userDeactivated, userUpdated, ...leaveEvents],
    errors: statusErrors,
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
