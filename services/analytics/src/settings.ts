import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the analytics service. */
export const analyticsSettings = serviceSettings.extend({
  ...mailSettings,
  AGENTS_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  CRM_URL: z.url(),
  FILES_URL: z.url(),
  IDENTITY_URL: z.url(),
  INTEGRATIONS_URL: z.url(),
  PARTNER_URL: z.url(),
  TRAINING_URL: z.url(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** The address of the gateway as clients see it: links to files of exports begin with it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
});

export type AnalyticsSettings = z.output<typeof analyticsSettings>;
