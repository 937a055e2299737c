import { event, id, listQuery, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { email, oneOf } from './fields.ts';

export const portalRoles = ['owner', 'member', 'marketer'] as const;

export const PortalRole = oneOf(portalRoles).describe('What the user may do in the portal');
/** Kept in lower case, as one signs in by it in any. */
export const PortalEmail = email()
  .overwrite((given) => given.toLowerCase())
  .meta({ examples: ['joan@example.com'] });
/** At least 8 characters; the upper bound keeps a request from buying minutes of hashing. */
export const PortalPassword = z
  .string()
  .min(8, { error: 'Must be at least 8 characters' })
  .max(200, { error: 'Must be at most 200 characters' })
  .refine((given) => given.isWellFormed() && !given.includes('\0'), {
    error: 'Must not contain NUL characters or unpaired surrogates',
  })
  .meta({ examples: ['a long phrase is best'] });

export const PortalUser = z.object({
  id: id('portal_user'),
  partnerId: id('partner'),
  email: PortalEmail,
  role: PortalRole,
  lastLoginAt: timestamp()
    .nullable()
    .meta({ description: 'When the user signed in last', examples: ['2026-03-04T08:02:47.000Z'] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  target: 'portal_user',
  data: z.object({ portalUserId: id('portal_user'), partnerId: id('partner') }),
  record: PortalUser,
} as const;

export const portalUserCreated = event('portal_user.created', {
  ...change,
  description: 'Somebody may sign in to the portal of a partner',
  action: 'portal_user.create',
});
export const portalUserLoggedIn = event('portal_user.logged_in', {
  ...change,
  description: 'Somebody signs in to the portal of a partner',
  action: 'portal_user.login',
});

const withId = z.object({ id: id('partner') });

export const portalUsers = operations({
  createPortalUser: {
    method: 'POST',
    path: '/v1/partners/:id/portal-users',
    permission: 'partners:manage',
    summary: 'Create a portal user',
    description: 'The user can sign in to the portal of the partner.',
    params: withId,
    body: z.object({ email: PortalEmail, password: PortalPassword, role: PortalRole }),
    reply: PortalUser,
    status: 201,
    message: 'Portal user created',
    emits: [portalUserCreated],
    errors: { email_taken: [409, 'Another portal user has this e-mail address'] },
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
});
