import { aiSettings } from '@tandem/ai';
import { mailSettings } from '@tandem/mail';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the crm service. */
export const crmSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  FILES_URL: z.url(),
  PARTNER_URL: z.url(),
  /** The other services with personal data, for its export. */
  AGENTS_URL: z.url(),
  ANALYTICS_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  INTEGRATIONS_URL: z.url(),
  SEARCH_URL: z.url(),
  TRAINING_URL: z.url(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  ...aiSettings,
  ...mailSettings,
  /** The address of the gateway as clients see it: links in messages and booking links begin with it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
});

export type CrmSettings = z.output<typeof crmSettings>;
