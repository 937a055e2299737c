import { aiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** What the crm service can be set to. */
export const crmSettings = serviceSettings.extend({ IDENTITY_URL: z.url(), ...aiSettings });

export type CrmSettings = z.output<typeof crmSettings>;
