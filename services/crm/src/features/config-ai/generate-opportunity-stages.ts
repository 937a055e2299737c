import { type configAi, GeneratedStages } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { type Generated, type Generation, ownKey } from './generated.ts';
import { stageViolations } from './invariants.ts';
import { stageTemplate } from './stage-templates.ts';

const instructions = `You set up a CRM. Suggest 5 to 9 opportunity stages for the sales process that the user describes, in the order in which a deal passes them. \
The open stages come first, with defaultProbability that does not decrease; exactly one of them has isDefault true. \
Then one won stage (isClosed true, isWon true, defaultProbability 100) and one lost stage (isClosed true, isWon false, defaultProbability 0). \
Codes are unique and snake_case; sortOrder is 0, 1, 2 and so on; color is the name of a colour. \
These codes already exist and must not be used: prospecting, qualification, proposal, negotiation, won, lost.`;

export const generateOpportunityStages = (
  generation: Generation,
): Handler<typeof configAi.generateOpportunityStages, Generated<typeof GeneratedStages>> => ({
  check: async ({ body: { prompt }, caller }) =>
    generation.ai.generate({
      apiKey: await ownKey(generation, caller),
      name: 'opportunity_stages',
      instructions,
      prompt,
      schema: GeneratedStages,
      check: ({ stages }) => stageViolations(stages),
      template: () => stageTemplate(prompt),
    }),
  run({ found: { output, source }, header }) {
    header('X-AI-Source', source);
    return output;
  },
});
