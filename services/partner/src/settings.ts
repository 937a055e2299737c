import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** The settings of partner beside those of every service. */
export const partnerSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  FILES_URL: z.url(),
  CAMPAIGN_URL: z.url(),
  CRM_URL: z.url(),
  /** Where the gateway is reached from outside: links begin with it. */
  PUBLIC_URL: z.url(),
  IDS_ALPHABET: z.string().length(62, 'Must hold each of the 62 letters and digits once'),
});

export type PartnerSettings = z.output<typeof partnerSettings>;
