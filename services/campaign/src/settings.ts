import { aiSettings } from '@tandem/ai';
import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()).min(1));

/** Settings of the campaign service, in addition to those of every service. */
export const campaignSettings = serviceSettings.extend({
  ...aiSettings,
  ...mailSettings,
  IDENTITY_URL: z.url(),
  CRM_URL: z.url(),
  /** The address of the gateway as clients see it: links in messages and addresses of public pages begin with it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** Name servers that verify sending domains, `address` or `address:port` with commas; those of the system by default. */
  DNS_SERVERS: list.optional(),
  /** How many campaign messages of a tenant go to the addresses of one domain within a minute; the others wait. */
  MAIL_PER_DOMAIN_MINUTE_MAX: z.coerce.number().int().min(1).max(1_000_000).default(600),
  /** The domain that SPF records of sending domains include, of the provider behind SMTP_URL: its host by default. */
  MAIL_SPF_INCLUDE: z.string().min(3).max(253).optional(),
});

export type CampaignSettings = z.output<typeof campaignSettings>;
