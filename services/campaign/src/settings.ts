import { aiSettings } from '@tandem/ai';
import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { smsSettings } from '@tandem/sms';
import { z } from 'zod';

/** Settings of the campaign service, in addition to those of every service. */
export const campaignSettings = serviceSettings.extend({
  ...aiSettings,
  ...mailSettings,
  ...smsSettings,
  IDENTITY_URL: z.url(),
  CRM_URL: z.url(),
  /** Lets webhook nodes call private addresses, as in development. */
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
  /** The address of the gateway as clients see it: links in messages and addresses of public pages begin with it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
});

export type CampaignSettings = z.output<typeof campaignSettings>;
