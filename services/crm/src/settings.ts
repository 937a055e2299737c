import { aiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the crm service. */
export const crmSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  FILES_URL: z.url(),
  /** Public base URL of the gateway, used in links. */
  PUBLIC_URL: z.url(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  ...aiSettings,
});

export type CrmSettings = z.output<typeof crmSettings>;
