import type { ai } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { generateContent } from './generate-content.ts';
import { generateLandingPage } from './generate-landing-page.ts';
import { generateSequence } from './generate-sequence.ts';

export const aiHandlers = (tools: Tools) =>
  ({
    generateSequence: generateSequence(tools),
    generateLandingPage: generateLandingPage(tools),
    generateContent: generateContent(tools),
    generate: generateContent(tools),
  }) satisfies Handlers<typeof ai, Tx>;
