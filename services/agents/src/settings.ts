import { agentAiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { telephonySettings } from '@tandem/telephony';
import { z } from 'zod';

/** Settings of the agents service. */
export const agentsSettings = serviceSettings.extend({
  ...agentAiSettings,
  ...telephonySettings,
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** How many tokens the agents of a tenant may use in a day (UTC); beyond it they follow their rules. */
  AGENTS_TOKENS_PER_DAY: z.coerce.number().int().min(0).max(1_000_000_000).default(2_000_000),
  /** The address of the gateway as the telephone provider sees it. */
  PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  CRM_URL: z.url(),
  IDENTITY_URL: z.url(),
});

export type AgentsSettings = z.output<typeof agentsSettings>;
