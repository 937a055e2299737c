import { aiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the campaign service, in addition to those of every service. */
export const campaignSettings = serviceSettings.extend({ ...aiSettings, IDENTITY_URL: z.url() });

export type CampaignSettings = z.output<typeof campaignSettings>;
