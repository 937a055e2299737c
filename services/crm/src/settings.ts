import { aiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the crm service. */
export const crmSettings = serviceSettings.extend({ IDENTITY_URL: z.url(), ...aiSettings });

export type CrmSettings = z.output<typeof crmSettings>;
