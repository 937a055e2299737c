import type { Ai, Source } from '@tandem/ai';
import type { configAi } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { generateOpportunityStages } from './generate-opportunity-stages.ts';
import { generateStatuses } from './generate-statuses.ts';

/** What was generated, and where it comes from. */
export interface Generated<Schema extends z.ZodType> {
  output: z.output<Schema>;
  source: Source;
}

export const configAiHandlers = (ai: Ai) =>
  ({
    generateStatuses: generateStatuses(ai),
    generateOpportunityStages: generateOpportunityStages(ai),
  }) satisfies Handlers<typeof configAi, Tx>;
