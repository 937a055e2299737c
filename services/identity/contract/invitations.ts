import { event, id, listQuery, name, operations, page, sharedErrors, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { LinkToken, mailLimit } from './account.ts';
import { AuthSession, LoginChallenge, Password, userLoggedIn } from './auth.ts';
import { notificationCreated } from './notification.ts';
import { teamMembersChanged } from './team.ts';
import { Tenant } from './tenants.ts';
import { Email, roleRights, TeamIds, User, userCreated } from './users.ts';

/** How long an invitation can be accepted after it was sent. */
export const invitationDays = 7;

/** Messages of invitations that a tenant on the plan Free may send within 24 hours. */
export const freeInvitationsPerDayMax = 100;
/** The same for tenants of any plan, as long as the address of the sender is not proven. */
export const unprovenInvitationsPerDayMax = 10;

export const InvitationStatus = z
  .enum(['pending', 'accepted', 'revoked', 'expired'])
  .describe('The status of the invitation');

export const Invitation = z.object({
  id: id('invitation'),
  tenantId: id('tenant'),
  email: z.string().meta({ description: 'The address that was invited', examples: ['grace@example.com'] }),
  roleId: id('role').describe('The role that the user gets'),
  teamIds: z.array(id('team')).describe('The teams that the user joins, as far as they still exist then'),
  status: InvitationStatus,
  invitedBy: id('user').describe('The user who sent the invitation'),
  acceptedUserId: id('user').nullable().describe('The user who accepted it'),
  expiresAt: timestamp().meta({
    description: 'When the invitation can no longer be accepted',
    examples: ['2026-03-11T08:02:47.000Z'],
  }),
  endedAt: timestamp().nullable().describe('When it was accepted or revoked'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** An invitation as shown to the invited person before signing up. */
export const InvitationOffer = z.object({
  tenantName: z.string().meta({ description: 'The name of the tenant', examples: ['Analytical Engines'] }),
  invitedBy: z.string().meta({ description: 'The name of the user who sent it', examples: ['Ada Lovelace'] }),
  email: Invitation.shape.email,
  roleName: z.string().meta({ description: 'The name of the role', examples: ['member'] }),
  status: InvitationStatus,
  expiresAt: Invitation.shape.expiresAt,
});

const withId = z.object({ id: id('invitation') });
const withToken = z.object({ token: LinkToken });

const invitationLimit = {
  invitation_limit: [
    429,
    `The tenant has sent as many invitations as it may within 24 hours: ${unprovenInvitationsPerDayMax} while your own e-mail address is not proven, ${freeInvitationsPerDayMax} on the plan Free. Prove your address by POST /v1/users/me/email/verification, change the plan, or try again later`,
  ],
} as const;

const closed = {
  invitation_closed: [
    409,
    'The invitation was accepted or revoked, has expired, or its sender may no longer give its role and teams; ask for a new one',
  ],
} as const;

export const userInvited = event('user.invited', {
  description: 'A person is invited by mail',
  action: 'invitation.create',
  target: 'invitation',
  data: z.object({ invitationId: id('invitation'), roleId: id('role') }),
  record: Invitation,
});

export const invitationResent = event('invitation.resent', {
  description: 'An invitation is sent again with a new link',
  action: 'invitation.resend',
  target: 'invitation',
  data: z.object({ invitationId: id('invitation') }),
  record: Invitation,
});

export const invitationAccepted = event('invitation.accepted', {
  description: 'An invited person signs up',
  action: 'invitation.accept',
  target: 'invitation',
  data: z.object({ invitationId: id('invitation'), userId: id('user') }),
  record: Invitation,
});

export const invitationRevoked = event('invitation.revoked', {
  description: 'An invitation is revoked',
  action: 'invitation.revoke',
  target: 'invitation',
  data: z.object({ invitationId: id('invitation') }),
  record: Invitation,
});

const addressLimit = {
  too_many_failures: [
    429,
    'The address was sent too many invitations within an hour. Wait before you invite it again.',
  ],
} as const;

export const invitations = operations({
  inviteUser: {
    method: 'POST',
    path: '/v1/users:invite',
    permission: 'users:write',
    also: roleRights,
    inSandbox: 'refused',
    summary: 'Invite a user',
    description:
      'Sends a link that is valid for seven days. `roleId` defaults to the role member. You cannot invite to a role with permissions that you do not have; the invitation ends if you lose them before it is accepted.',
    body: z.object({ email: Email, roleId: id('role').optional(), teamIds: TeamIds.optional() }),
    reply: Invitation,
    status: 201,
    message: 'User invited',
    emits: [userInvited],
    errors: {
      email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
      already_invited: [409, 'The address has a pending invitation; send it again or revoke it'],
      ...mailLimit,
      ...invitationLimit,
      ...addressLimit,
    },
  },
  listInvitations: {
    method: 'GET',
    path: '/v1/invitations',
    permission: 'users:read',
    summary: 'List invitations',
    description: '`search` covers the e-mail address.',
    query: listQuery(['createdAt']).extend({ status: InvitationStatus.optional() }),
    reply: page(Invitation),
    message: 'Invitations retrieved',
  },
  resendInvitation: {
    method: 'POST',
    path: '/v1/invitations/:id/resend',
    permission: 'users:write',
    inSandbox: 'refused',
    summary: 'Send an invitation again',
    description:
      'Sends a new link, valid for seven days; earlier links become invalid. For pending and expired invitations. You become the one who invites.',
    params: withId,
    reply: Invitation,
    message: 'Invitation sent again',
    emits: [invitationResent],
    errors: {
      transition_refused: sharedErrors.transition_refused,
      email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
      already_invited: [409, 'The address has a pending invitation; send it again or revoke it'],
      too_many_links: [429, 'The invitation was sent a minute ago; wait before you send it again'],
      ...mailLimit,
      ...invitationLimit,
      ...addressLimit,
    },
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/v1/invitations/:id',
    permission: 'users:write',
    summary: 'Revoke an invitation',
    description: 'The link becomes invalid. Revoking again has no effect.',
    params: withId,
    reply: Invitation,
    message: 'Invitation revoked',
    emits: [invitationRevoked],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  getInvitationOffer: {
    method: 'GET',
    path: '/v1/auth/invitations/:token',
    audience: 'public',
    summary: 'Retrieve an invitation by its link',
    params: withToken,
    reply: InvitationOffer,
    message: 'Invitation retrieved',
  },
  acceptInvitation: {
    method: 'POST',
    path: '/v1/auth/invitations/:token/accept',
    audience: 'public',
    summary: 'Accept an invitation',
    description:
      'Creates the user with a verified address, and signs the user in. If the tenant requires a second factor, the response is a challenge instead of tokens, as in `POST /v1/auth/login`. If the tenant enforces single sign-on for the address, the answer is 403; the first sign-in through the provider accepts the invitation.',
    params: withToken,
    body: z.object({
      password: Password,
      firstName: name().meta({ examples: ['Grace'] }),
      lastName: name().meta({ examples: ['Hopper'] }),
    }),
    reply: z.union([
      AuthSession.extend({
        user: User.describe('The new user'),
        tenant: Tenant.describe('The tenant of the user'),
      }),
      LoginChallenge,
    ]),
    message: 'Invitation accepted',
    emits: [invitationAccepted, userCreated, teamMembersChanged, userLoggedIn, notificationCreated],
    errors: {
      ...closed,
      email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
      sso_required: [403, 'Your company requires single sign-on; begin at /v1/auth/sso/start'],
    },
  },
});
