import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of training in addition to the common service settings. */
export const trainingSettings = serviceSettings.extend({
  IDENTITY_URL: z.url(),
  PARTNER_URL: z.url(),
  CRM_URL: z.url(),
  FILES_URL: z.url(),
  /** Public base URL of the gateway, used in links. */
  PUBLIC_URL: z.url(),
  /**
   * The address of the gateway by which SCORM packages are played, on another host than the API, so that they may have an
   * origin. An empty value is none.
   */
  SCORM_CONTENT_URL: z.url().optional().or(z.literal('')),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
});

export type TrainingSettings = z.output<typeof trainingSettings>;
