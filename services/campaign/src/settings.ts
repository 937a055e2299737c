import { aiSettings } from '@tandem/ai';
import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { smsSettings } from '@tandem/sms';
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
  ...smsSettings,
  IDENTITY_URL: z.url(),
  CRM_URL: z.url(),
  PARTNER_URL: z.url(),
  /** Lets webhook nodes call private addresses, as in development. */
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
  /** The address of the gateway as clients see it: links in messages and addresses of public pages begin with it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** The host that the DNS of page domains points to, or its address; that of PUBLIC_URL by default. */
  PAGES_HOST: z
    .string()
    .transform((host) => host.trim().toLowerCase().replace(/\.$/, ''))
    .optional(),
  /** Name servers that verify sending domains and page domains, `address` or `address:port` with commas; those of the system by default. */
  DNS_SERVERS: list.optional(),
  /** How many campaign messages of a tenant go to the addresses of one domain within a minute; the others wait. */
  MAIL_PER_DOMAIN_MINUTE_MAX: z.coerce.number().int().min(1).max(1_000_000).default(600),
  /** The SNS topics to which Amazon SES reports, with commas; without it no report of SES is accepted. */
  SES_TOPIC_ARNS: list.optional(),
  /** The origin of a local SNS, instead of the hosts of Amazon. */
  SNS_ORIGIN: z
    .url()
    .transform((url) => new URL(url).origin)
    .optional(),
  /** The verification key of SendGrid's Event Webhook (Base64); without it no report of SendGrid is accepted. */
  SENDGRID_WEBHOOK_KEY: z.base64().min(1).optional(),
  /** The auth token of the Twilio account; without it no report of Twilio is accepted. */
  TWILIO_AUTH_TOKEN: z.string().min(1).optional(),
  /** Signs incoming messages of your mail server; without it none is accepted. */
  INBOUND_MAIL_SECRET: z.string().min(32, 'Must have at least 32 characters').optional(),
  /** The domain that SPF records of sending domains include, of the provider behind SMTP_URL: its host by default. */
  MAIL_SPF_INCLUDE: z.string().min(3).max(253).optional(),
});

export type CampaignSettings = z.output<typeof campaignSettings>;
