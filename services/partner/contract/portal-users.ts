import { email, event, id, listQuery, operations, page, portalRoles, secret, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const PortalRole = z
  .enum(portalRoles)
  .describe(
    'The role of the user in the portal: an owner may do everything; a member too, except for the profile, the users and the payout account of the partner; a marketer uses co-marketing and training only',
  );
/** Stored in lower case, so that sign-in is case-insensitive. */
export const PortalEmail = email()
  .overwrite((address) => address.toLowerCase())
  .meta({ examples: ['joan@example.com'] });
/** The maximum length limits the time that hashing takes. */
export const PortalPassword = secret(
  z
    .string()
    .min(8, { error: 'Must be at least 8 characters' })
    .max(200, { error: 'Must be at most 200 characters' })
    .refine((given) => given.isWellFormed() && !given.includes('\0'), {
      error: 'Must not contain NUL characters or unpaired surrogates',
    })
    .meta({ examples: ['a long phrase is best'] }),
);

export const PortalUserStatus = z
  .enum(['invited', 'active'])
  .describe('Whether the user has a password that signs in, or was invited to choose one');

export const PortalUser = z.object({
  id: id('portal_user'),
  partnerId: id('partner'),
  email: PortalEmail,
  role: PortalRole,
  status: PortalUserStatus,
  lastLoginAt: timestamp()
    .nullable()
    .meta({ description: 'When the user last signed in', examples: ['2026-03-04T08:02:47.000Z'] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** How long links of messages to portal users are valid, in minutes. */
export const portalLinkMinutes = {
  invitation: 72 * 60,
  application: 72 * 60,
  magic_link: 15,
  password_reset: 15,
} as const;
/** Maximum number of links of one purpose that a portal user is sent within an hour. */
export const portalLinksPerHourMax = 3;

const change = {
  target: 'portal_user',
  data: z.object({ portalUserId: id('portal_user'), partnerId: id('partner') }),
  record: PortalUser,
  // Every user had a password in earlier releases.
  whenMissing: { record: { status: 'active' as const } },
} as const;

export const portalUserCreated = event('portal_user.created', {
  ...change,
  description: 'A portal user is created',
  action: 'portal_user.create',
});
export const portalUserLoggedIn = event('portal_user.logged_in', {
  ...change,
  description: 'A portal user signs in',
  action: 'portal_user.login',
});
export const portalUserInvited = event('portal_user.invited', {
  ...change,
  description: 'A portal user is sent an invitation',
  action: 'portal_user.invite',
});
export const portalUserUpdated = event('portal_user.updated', {
  ...change,
  description: 'A portal user gets another role, or accepts the invitation',
  action: 'portal_user.update',
});
export const portalUserDeleted = event('portal_user.deleted', {
  ...change,
  description: 'A portal user is deleted',
  action: 'portal_user.delete',
});
export const portalUserPasswordChanged = event('portal_user.password_changed', {
  ...change,
  description: 'The password of a portal user is changed or reset',
  action: 'portal_user.change_password',
});

const withId = z.object({ id: id('partner') });
const withUser = withId.extend({ uid: id('portal_user') });
const lastOwner = {
  last_owner: [409, 'The partner has no other owner with a password; make another portal user an owner first'],
} as const;
const emailTaken = {
  email_taken: [409, 'Another portal user has this e-mail address; use a different one'],
} as const;
export const portalMailLimit = {
  mail_limit: [429, 'The tenant has sent its maximum number of messages of this day (UTC); try again tomorrow'],
} as const;

export const portalUsers = operations({
  createPortalUser: {
    method: 'POST',
    path: '/v1/partners/:id/portal-users',
    permission: 'partners:manage',
    summary: 'Create a portal user',
    description:
      'Without a `password`, the user is sent an invitation to choose one, valid for 72 hours. The user can sign in to the portal as soon as the partner is approved.',
    params: withId,
    body: z.object({ email: PortalEmail, password: PortalPassword.optional(), role: PortalRole }),
    reply: PortalUser,
    example: { status: 'active' },
    status: 201,
    message: 'Portal user created',
    emits: [portalUserCreated, portalUserInvited],
    errors: { ...emailTaken, ...portalMailLimit },
  },
  listPortalUsers: {
    method: 'GET',
    path: '/v1/partners/:id/portal-users',
    permission: 'partners:manage',
    summary: 'List the portal users of a partner',
    description: '`search` covers the e-mail address.',
    params: withId,
    query: listQuery(['createdAt', 'email']),
    reply: page(PortalUser),
    message: 'Portal users retrieved',
  },
  getPortalUser: {
    method: 'GET',
    path: '/v1/partners/:id/portal-users/:uid',
    permission: 'partners:manage',
    summary: 'Retrieve a portal user',
    params: withUser,
    reply: PortalUser,
    message: 'Portal user retrieved',
  },
  updatePortalUser: {
    method: 'PATCH',
    path: '/v1/partners/:id/portal-users/:uid',
    permission: 'partners:manage',
    summary: 'Change the role of a portal user',
    description:
      'The new role takes effect with the next request of the user. The last owner keeps the role; invited users do not count as owners beside one with a password.',
    params: withUser,
    body: z.object({ role: PortalRole.optional() }),
    reply: PortalUser,
    message: 'Portal user updated',
    emits: [portalUserUpdated],
    errors: lastOwner,
  },
  deletePortalUser: {
    method: 'DELETE',
    path: '/v1/partners/:id/portal-users/:uid',
    permission: 'partners:manage',
    summary: 'Delete a portal user',
    description: 'Ends the sessions of the user. The last owner cannot be deleted.',
    params: withUser,
    reply: z.object({ id: id('portal_user'), deleted: z.literal(true).describe('Always true') }),
    message: 'Portal user deleted',
    emits: [portalUserDeleted],
    errors: lastOwner,
  },
  invitePortalUser: {
    method: 'POST',
    path: '/v1/partners/:id/portal-users/:uid/invite',
    permission: 'partners:manage',
    summary: 'Invite a portal user again',
    description:
      'Sends a new link to choose a password, valid for 72 hours; earlier links become invalid. At most three messages per hour. In the sandbox no message is sent.',
    params: withUser,
    reply: PortalUser,
    message: 'Invitation sent',
    emits: [portalUserInvited],
    errors: {
      already_active: [409, 'The user has a password already and can sign in'],
      too_many_links: [429, 'The user was sent three invitations within an hour; wait before you invite them again'],
      ...portalMailLimit,
    },
  },
});
