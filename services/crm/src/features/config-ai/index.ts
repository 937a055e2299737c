import type { configAi } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { generateOpportunityStages } from './generate-opportunity-stages.ts';
import { generateStatuses } from './generate-statuses.ts';
import type { Generation } from './generated.ts';

export const configAiHandlers = (generation: Generation) =>
  ({
    generateStatuses: generateStatuses(generation),
    generateOpportunityStages: generateOpportunityStages(generation),
  }) satisfies Handlers<typeof configAi, Tx>;
