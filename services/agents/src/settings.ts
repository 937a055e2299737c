import { agentAiSettings } from '@tandem/ai';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** Settings of the agents service. */
export const agentsSettings = serviceSettings.extend({
  ...agentAiSettings,
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  CRM_URL: z.url(),
  IDENTITY_URL: z.url(),
});

export type AgentsSettings = z.output<typeof agentsSettings>;
