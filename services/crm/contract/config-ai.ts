import { name, operations } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedStage, GeneratedStatus } from './statuses.ts';

const listMax = 20;

/** What POST /v1/config/ai/generate-statuses answers. */
export const GeneratedStatuses = z.object({ statuses: z.array(GeneratedStatus).min(1).max(listMax) });
/** What POST /v1/config/ai/generate-opportunity-stages answers. */
export const GeneratedStages = z.object({ stages: z.array(GeneratedStage).min(1).max(listMax) });

const generation = {
  method: 'POST',
  permission: 'ai:write',
  peopleOnly: true,
  envelope: 'short',
  body: z.object({ prompt: name(4000) }),
  // A provider may take up to 30 s.
  timeoutMs: 60_000,
  headers: { 'X-AI-Source': 'model or template: where the result comes from' },
  emits: [],
} as const;

export const configAi = operations({
  generateStatuses: {
    ...generation,
    path: '/v1/config/ai/generate-statuses',
    summary: 'Suggest lead statuses for a way of working',
    description: 'Nothing is stored. Each item can be sent to POST /v1/config/statuses as it is.',
    reply: GeneratedStatuses,
    message: 'Lead statuses generated',
  },
  generateOpportunityStages: {
    ...generation,
    path: '/v1/config/ai/generate-opportunity-stages',
    summary: 'Suggest the stages of a sales process',
    description:
      'Nothing is stored. Each item can be sent to POST /v1/config/statuses as it is, with entityType opportunity beside it.',
    reply: GeneratedStages,
    message: 'Opportunity stages generated',
  },
});
