/**
 * Compares recommendations with the cases: `npm run evaluate` in services/agents. Without a key it scores the built-in rules;
 * with AI_PROVIDER_API_KEY, AI_PROVIDER_MODEL and AI_PROVIDER_BASE_URL it scores the model beside them.
 */
import { printEvaluation } from '@tandem/evaluation';
import { scoreModel, scoreRules } from './score.ts';

await printEvaluation({ name: 'recommender', scoreBuiltIn: () => scoreRules(), scoreModel: (ai) => scoreModel(ai) });
