import { operations, requiredText } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedStage, GeneratedStatus } from './status.ts';

const listMax = 20;

export const GeneratedStatuses = z.object({
  statuses: z.array(GeneratedStatus).min(1).max(listMax).describe('The generated statuses'),
});
export const GeneratedStages = z.object({
  stages: z.array(GeneratedStage).min(1).max(listMax).describe('The generated stages'),
});

const generation = {
  method: 'POST',
  permission: 'ai:write',
  feature: 'ai_generation',
  peopleOnly: true,
  envelope: 'short',
  body: z.object({
    prompt: requiredText(4000).meta({
      description: 'A description of how you sell, in your own words',
      examples: ['We sell apartments to families. Most leads come from our website.'],
    }),
  }),
  // A request to the AI provider can take up to 30 s.
  timeoutMs: 60_000,
  headers: {
    'X-AI-Source': 'The source of the result: a language model (`model`) or a built-in template (`template`)',
  },
  emits: [],
} as const;

export const configAi = operations({
  generateStatuses: {
    ...generation,
    path: '/v1/config/ai/generate-statuses',
    summary: 'Generate lead statuses',
    description: 'The result is not stored. You can send each item unchanged to POST /v1/config/statuses.',
    reply: GeneratedStatuses,
    message: 'Lead statuses generated',
  },
  generateOpportunityStages: {
    ...generation,
    path: '/v1/config/ai/generate-opportunity-stages',
    summary: 'Generate opportunity stages',
    description:
      'The result is not stored. You can send each item to POST /v1/config/statuses with `entityType: opportunity` added.',
    reply: GeneratedStages,
    message: 'Opportunity stages generated',
  },
});
