import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of partner in addition to the common service settings. */
export const partnerSettings = serviceSettings.extend({
  ...mailSettings,
  IDENTITY_URL: z.url(),
  FILES_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  CRM_URL: z.url(),
  TRAINING_URL: z.url(),
  /** Public base URL of the gateway, used in links. */
  PUBLIC_URL: z.url(),
  /** The payment provider, which pays partners: see `payment-provider.ts`. Without it, payouts are files for a bank. */
  PAYOUT_PROVIDER_URL: z.url({ protocol: /^https?$/ }).optional(),
  PAYOUT_PROVIDER_KEY: z.string().min(1).optional(),
  /** The address of the partner portal: links in messages begin with it. That of the gateway by default. */
  PORTAL_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
});

export type PartnerSettings = z.output<typeof partnerSettings>;
