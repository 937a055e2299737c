import { name, operations } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedStage, GeneratedStatus } from './statuses.ts';

const listMax = 20;

/** What POST /v1/config/ai/generate-statuses answers. */
export const GeneratedStatuses = z.object({
  statuses: z.array(GeneratedStatus).min(1).max(listMax).describe('The suggested statuses'),
});
/** What POST /v1/config/ai/generate-opportunity-stages answers. */
export const GeneratedStages = z.object({
  stages: z.array(GeneratedStage).min(1).max(listMax).describe('The suggested stages'),
});

const generation = {
  method: 'POST',
  permission: 'ai:write',
  peopleOnly: true,
  envelope: 'short',
  body: z.object({
    prompt: name(4000).meta({
      description: 'How you work, in your own words',
      examples: ['We sell apartments to families, most of whom find us on the web'],
    }),
  }),
  // A provider may take up to 30 s.
  timeoutMs: 60_000,
  headers: { 'X-AI-Source': 'What made the result: a language model (`model`) or built-in text (`template`)' },
  emits: [],
} as const;

export const configAi = operations({
  generateStatuses: {
    ...generation,
    path: '/v1/config/ai/generate-statuses',
    summary: 'Suggest lead statuses for a way of working',
    description: 'Stores nothing. You can send each item to POST /v1/config/statuses unchanged.',
    reply: GeneratedStatuses,
    message: 'Lead statuses generated',
  },
  generateOpportunityStages: {
    ...generation,
    path: '/v1/config/ai/generate-opportunity-stages',
    summary: 'Suggest the stages of a sales process',
    description: 'Stores nothing. You can send each item to POST /v1/config/statuses; add `entityType: opportunity`.',
    reply: GeneratedStages,
    message: 'Opportunity stages generated',
  },
});
