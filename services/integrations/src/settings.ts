import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

const seconds = z.codec(
  z.string().regex(/^\d+(\.\d+)?(,\d+(\.\d+)?)*$/, 'Must be numbers of seconds, separated by commas'),
  z.array(z.number()).max(50),
  {
    decode: (text) => text.split(',').map(Number),
    encode: (list) => list.join(','),
  },
);

const origins = z
  .codec(z.string().min(1), z.array(z.url().transform((url) => new URL(url).origin)), {
    decode: (text) => text.split(',').map((one) => one.trim()),
    encode: (list) => list.join(','),
  })
  .optional();

const clientId = z.string().max(255).optional();
const clientSecret = z.string().max(1000).optional();
/** An address that replaces the origin of all addresses of a provider: a local one, or a proxy. */
const address = z.url().optional();

/** Settings of integrations in addition to the common service settings. */
export const integrationsSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  CRM_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  IDS_ALPHABET: z.string().length(62),
  /** The address of the gateway as clients see it: providers redirect browsers to it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** Browsers may be redirected to the console after an authorization. */
  CONSOLE_URL: z.url().optional(),
  /** Further origins that browsers may be redirected to after an authorization. */
  OAUTH_REDIRECT_ORIGINS: origins,
  /** The wait after the first failed refresh of tokens; it doubles while refreshes fail. */
  OAUTH_RETRY_SECONDS: z.coerce.number().positive().max(3600).default(60),
  OAUTH_SLACK_CLIENT_ID: clientId,
  OAUTH_SLACK_CLIENT_SECRET: clientSecret,
  OAUTH_SLACK_URL: address,
  OAUTH_GOOGLE_CLIENT_ID: clientId,
  OAUTH_GOOGLE_CLIENT_SECRET: clientSecret,
  OAUTH_GOOGLE_URL: address,
  OAUTH_MICROSOFT_CLIENT_ID: clientId,
  OAUTH_MICROSOFT_CLIENT_SECRET: clientSecret,
  OAUTH_MICROSOFT_URL: address,
  OAUTH_HUBSPOT_CLIENT_ID: clientId,
  OAUTH_HUBSPOT_CLIENT_SECRET: clientSecret,
  OAUTH_HUBSPOT_URL: address,
  OAUTH_PIPEDRIVE_CLIENT_ID: clientId,
  OAUTH_PIPEDRIVE_CLIENT_SECRET: clientSecret,
  OAUTH_PIPEDRIVE_URL: address,
  STRIPE_URL: address,
  /** Allows private addresses, any port and http, so that local receivers and providers can be reached. */
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
  /** Delay before each attempt; replaces the default schedules. */
  WEBHOOK_RETRY_SCHEDULE_SECONDS: seconds.optional(),
  WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().positive().max(60).default(15),
  /** HTTP proxy for all deliveries and calls of connectors, except to mail servers. The proxy resolves names, so it must block private addresses itself. */
  WEBHOOK_PROXY_URL: z.url().optional(),
});

export type IntegrationsSettings = z.output<typeof integrationsSettings>;
