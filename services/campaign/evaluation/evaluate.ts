/**
 * Compares generated sequences, landing pages, e-mails and texts with the cases: `npm run evaluate` in services/campaign.
 * Without a key it scores the templates; with AI_PROVIDER_API_KEY, AI_PROVIDER_MODEL and AI_PROVIDER_BASE_URL it scores the
 * model beside them.
 */
import type { Ai } from '@tandem/ai';
import { printEvaluation } from '@tandem/evaluation';
import { createHtmlCleaner } from '../src/features/landing-pages/html-cleaner.ts';
import { createGenerator } from './generator.ts';
import { scoreGenerator } from './score.ts';

const cleaner = createHtmlCleaner();
const score = (ai: Ai) => scoreGenerator(createGenerator(ai, cleaner), cleaner);
await printEvaluation({ name: 'generation', scoreBuiltIn: score, scoreModel: score });
await cleaner.close();
