import { embeddingSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the search service, in addition to those of every service. */
export const searchSettings = serviceSettings.extend({
  CRM_URL: z.url(),
  IDENTITY_URL: z.url(),
  PARTNER_URL: z.url(),
  /** A server with OpenSearch's REST API; without one, PostgreSQL answers all searches. */
  OPENSEARCH_URL: z.union([z.literal(''), z.url()]).default(''),
  OPENSEARCH_USER: z.string().default(''),
  OPENSEARCH_PASSWORD: z.string().default(''),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  ...embeddingSettings,
});

export type SearchSettings = z.output<typeof searchSettings>;
