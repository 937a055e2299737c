import { type configAi, GeneratedStatuses } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { type Generated, type Generation, ownKey } from './generated.ts';
import { statusViolations } from './invariants.ts';
import { statusTemplate } from './status-templates.ts';

const instructions = `You set up a CRM. Suggest 4 to 8 lead statuses for the sales process that the user describes, in the order in which a lead passes them. \
Exactly one has isDefault true: the status of a new lead. Codes are unique and snake_case; sortOrder is 0, 1, 2 and so on; \
color is the name of a colour. category is one of new, contacted, qualified and unqualified: the default status is new, statuses of leads that will not buy are unqualified, and those of leads that are ready for sales are qualified. These codes already exist and must not be used: new, contacted, qualified, unqualified.`;

export const generateStatuses = (
  generation: Generation,
): Handler<typeof configAi.generateStatuses, Generated<typeof GeneratedStatuses>> => ({
  check: async ({ body: { prompt }, caller }) =>
    generation.ai.generate({
      apiKey: await ownKey(generation, caller),
      name: 'lead_statuses',
      instructions,
      prompt,
      schema: GeneratedStatuses,
      check: ({ statuses }) => statusViolations(statuses),
      template: () => statusTemplate(prompt),
    }),
  run({ found: { output, source }, header }) {
    header('X-AI-Source', source);
    return output;
  },
});
