/**
 * Compares recommendations with the cases: `npm run evaluate` in services/agents. Without a key it scores the built-in rules;
 * with AI_PROVIDER_API_KEY, AI_PROVIDER_MODEL and AI_PROVIDER_BASE_URL it scores the model beside them.
 */
import { agentAiSettings, createAi } from '@tandem/ai';
import { createLog } from '@tandem/process';
import { z } from 'zod';
import { scoreModel, scoreRules } from './score.ts';

const settings = z.object(agentAiSettings).parse(process.env);
const scores: Record<string, unknown> = { rules: scoreRules() };
if (settings.AI_PROVIDER_API_KEY) {
  const ai = createAi(settings, createLog('evaluation'));
  scores[settings.AI_PROVIDER_MODEL] = await scoreModel(ai);
  await ai.close();
}
process.stdout.write(`${JSON.stringify(scores, null, 2)}\n`);
