import { id, listQuery, operations, page, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { SignInMethod, userLoggedOut } from './auth.ts';

/** A session of the signed-in user. */
export const UserSession = z.object({
  id: id('session'),
  device: z.string().meta({ description: 'The browser and operating system', examples: ['Firefox on Linux'] }),
  ip: z
    .string()
    .nullable()
    .meta({ description: 'The IP address of the last sign-in or refresh', examples: ['203.0.113.7'] }),
  method: SignInMethod.nullable(),
  current: z.boolean().describe('Whether the request used this session'),
  lastSeenAt: timestamp()
    .nullable()
    .meta({
      description: 'When the session was last used; up to five minutes late',
      examples: ['2026-03-04T08:17:21.000Z'],
    }),
  createdAt: timestamp(),
  expiresAt: timestamp().meta({
    description: 'When the session ends unless it is used before',
    examples: ['2026-04-03T08:17:21.000Z'],
  }),
});

export const sessions = operations({
  listSessions: {
    method: 'GET',
    path: '/v1/users/me/sessions',
    permission: signedIn,
    peopleOnly: true,
    summary: "List the current user's sessions",
    description: 'Sessions that have ended are not listed.',
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(UserSession),
    message: 'Sessions retrieved',
  },
  endSession: {
    method: 'DELETE',
    path: '/v1/users/me/sessions/:id',
    permission: signedIn,
    peopleOnly: true,
    summary: 'End a session',
    description: 'Its tokens stop working within a second. The current session can be ended too.',
    params: z.object({ id: id('session') }),
    reply: z.object({ id: id('session'), deleted: z.literal(true).describe('Always true') }),
    message: 'Session ended',
    emits: [userLoggedOut],
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/v1/users/me/sessions',
    permission: signedIn,
    peopleOnly: true,
    summary: 'End all other sessions',
    description: 'Ends all sessions of the current user except the one of the request.',
    reply: z.object({ ended: z.int().meta({ description: 'The number of ended sessions', examples: [2] }) }),
    message: 'Sessions ended',
    emits: [userLoggedOut],
  },
});
