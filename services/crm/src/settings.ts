import { aiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the crm service. */
export const crmSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  ...aiSettings,
});

export type CrmSettings = z.output<typeof crmSettings>;
