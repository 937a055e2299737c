import { mailSettings } from '@tandem/mail';
import { hasLengthOfKey, secretSetting } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';
import { readSigningKeys } from './tokens.ts';

/** Settings of identity in addition to the common service settings. */
export const identitySettings = serviceSettings.extend({
  ...mailSettings,
  /** The address of the gateway as clients see it. With https, cookies are sent over https only. */
  PUBLIC_URL: z.url().transform(withoutSlash),
  /**
   * The address of the console: links in messages begin with it. Without one, links of account mail lead to pages of
   * the API at PUBLIC_URL, and notifications have no link to records.
   */
  CONSOLE_URL: z.url().transform(withoutSlash).optional(),
  /** HMAC keys for the hashes of API keys and e-mail addresses in the lookup tables. */
  KEY_PEPPER: secretSetting(hasLengthOfKey),
  CRM_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  AGENTS_URL: z.url(),
  PARTNER_URL: z.url(),
  /** Allows identity providers on private addresses and over http; also for webhooks (integrations). */
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
  /** Signs the events of the payment provider of the platform (Stripe); without it none is accepted. */
  STRIPE_WEBHOOK_SECRET: z.string().min(16, 'Must have at least 16 characters').optional(),
  /** Name servers for the proof of domains; those of the system by default. */
  SSO_DNS_SERVERS: z
    .codec(z.string().min(1), z.array(z.string()), {
      decode: (text) => text.split(',').map((one) => one.trim()),
      encode: (list) => list.join(','),
    })
    .optional(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** Private keys that sign access tokens: RSA PEMs of at least 2048 bits; `\n` may replace line breaks. */
  JWT_PRIVATE_KEY: secretSetting((pem) =>
    isSigningKey(pem) ? undefined : 'Each value must be the PEM of an RSA private key with at least 2048 bits',
  ),
});

export type IdentitySettings = z.output<typeof identitySettings>;

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function isSigningKey(pem: string): boolean {
  try {
    return readSigningKeys(pem).length === 1;
  } catch {
    return false;
  }
}
