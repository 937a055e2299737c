import { countsOpenWork, id, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Campaign, campaignAutoPaused } from './campaign.ts';
import { LandingPageSummary } from './landing-page.ts';
import { suppressionAdded } from './suppressions.ts';
import { messageEngaged } from './tracking.ts';

/** Campaigns and landing pages of the caller's tenant, for services that refer to them. */
export const internalCampaigns = operations({
  findCampaign: {
    method: 'GET',
    path: '/internal/campaigns/:id',
    audience: 'internal',
    summary: 'Retrieve the name and status of a campaign',
    params: z.object({ id: id('campaign') }),
    reply: Campaign.pick({ id: true, name: true, status: true }),
    message: 'Campaign retrieved',
  },
  findLandingPage: {
    method: 'GET',
    path: '/internal/landing-pages/:id',
    audience: 'internal',
    summary: 'Retrieve the name, slug and status of a landing page',
    params: z.object({ id: id('landing_page') }),
    reply: LandingPageSummary.pick({ id: true, name: true, slug: true, status: true }).extend({
      /** The public address of a published page. */
      url: z.url().optional(),
    }),
    message: 'Landing page retrieved',
  },
});

/** Maximum number of messages in a `receiveConnectedMail` request. */
export const connectedMailMax = 100;
/** Maximum length of the beginning of a message in a `receiveConnectedMail` request. */
export const mailHeaderMax = 65_536;

/** Mail of the mailboxes that tenants connect, which integrations reads. */
export const internalMail = operations({
  receiveConnectedMail: {
    method: 'POST',
    path: '/internal/mail/received',
    audience: 'internal',
    summary: 'Record replies and bounces among messages that arrived in a mailbox of the tenant',
    description:
      'A message counts if it answers, or reports about, a message of the same tenant and environment. It has its effect once, also if it reaches the platform by other ways.',
    body: z.object({
      messages: z
        .array(
          z.object({
            header: text(mailHeaderMax).describe('The header of the message (RFC 5322), or its beginning'),
            receivedAt: timestamp(),
          }),
        )
        .min(1, 'Must contain at least one message')
        .max(connectedMailMax, `Must contain at most ${connectedMailMax} messages`),
    }),
    // A character takes up to three bytes.
    bodyMax: connectedMailMax * mailHeaderMax * 3,
    reply: z.object({
      results: z
        .array(z.enum(['replied', 'auto_replied', 'bounced', 'unrelated']))
        .describe('What each message is, in the order of the request'),
    }),
    message: 'Mail received',
    emits: [messageEngaged, suppressionAdded, campaignAutoPaused],
    timeoutMs: 20_000,
  },
});

/** Work of people, for identity: somebody who leaves must hand it over. */
export const internalWork = operations({
  countOpenCampaignWork: countsOpenWork(['campaigns', 'workflows', 'landingPages']),
});
