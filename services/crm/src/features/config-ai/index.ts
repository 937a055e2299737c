import type { Ai } from '@tandem/ai';
import type { configAi } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { generateOpportunityStages } from './generate-opportunity-stages.ts';
import { generateStatuses } from './generate-statuses.ts';

export const configAiHandlers = (ai: Ai) =>
  ({
    generateStatuses: generateStatuses(ai),
    generateOpportunityStages: generateOpportunityStages(ai),
  }) satisfies Handlers<typeof configAi, Tx>;
