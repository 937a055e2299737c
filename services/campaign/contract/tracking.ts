import { event, id, media, operations, redirect, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const messageEngagementTypes = [
  'email_sent',
  'sms_sent',
  'email_open',
  'link_click',
  'email_reply',
  'email_bounce',
  'email_complaint',
] as const;

/** Deeds that only campaigns record: analytics gets an automatic reply as a reply of software. */
export const ownEngagementTypes = ['email_auto_reply'] as const;

/** For analytics, which records it as an engagement event. */
export const messageEngaged = event('message.engaged', {
  description: 'A message is sent, opened, clicked, answered, bounced or reported as spam',
  action: 'message.engage',
  target: 'message',
  audited: false,
  data: z.object({
    type: z.enum(messageEngagementTypes),
    leadId: id('lead'),
    // Analytics keeps these as texts, because messages may also belong to another system.
    message: text(64),
    execution: text(64).nullable(),
    insertId: text(64),
    at: timestamp(),
    automated: z.boolean(),
    url: text(2000).nullable(),
  }),
  record: z.object({ id: id('message') }),
});

/** For analytics. */
export const pageVisited = event('landing_page.visited', {
  description: 'A published landing page is shown to a visitor',
  action: 'landing_page.visit',
  target: 'landing_page',
  audited: false,
  data: z.object({
    leadId: id('lead').nullable().describe('The lead who came by a link of a message; null for any other visitor'),
    message: text(64).nullable().describe('The message whose link led to the page'),
    insertId: text(64),
    at: timestamp(),
    automated: z.boolean(),
    url: text(2000),
  }),
  record: z.object({ id: id('landing_page') }),
});

const withToken = z.object({
  token: z
    .string()
    .max(2000)
    .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExample'] }),
});

export const tracking = operations({
  trackOpen: {
    method: 'GET',
    path: '/v1/public/t/o/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Record that a message was opened',
    description:
      'The image in each message. Requests of software, such as scanners and privacy proxies, are recorded as `automated`. An unknown token gets the image too.',
    params: withToken,
    reply: media('image/gif'),
    message: 'A transparent image',
    emits: [messageEngaged],
  },
  trackClick: {
    method: 'GET',
    path: '/v1/public/t/c/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Record a click, and redirect to the target of the link',
    description:
      'The target is part of the sealed token, so nobody can make a link that leads elsewhere. The address of a landing page gets a token, so that the visit counts for the lead of the message.',
    params: withToken,
    reply: redirect(),
    message: 'A redirect to the target',
    emits: [messageEngaged],
  },
});
