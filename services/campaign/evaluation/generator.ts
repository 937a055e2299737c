import type { Ai, Source } from '@tandem/ai';
import { ai as operations } from '@tandem/campaign-contract';
import { generateContent } from '../src/features/ai/generate-content.ts';
import { generateLandingPage } from '../src/features/ai/generate-landing-page.ts';
import { generateSequence } from '../src/features/ai/generate-sequence.ts';
import type { HtmlCleaner } from '../src/features/landing-pages/html-cleaner.ts';
import type { Tools } from '../src/handler.ts';
import { type Brief, requestOf } from './brief.ts';

export interface Generated {
  output: unknown;
  source: Source;
}

/** Makes the output for a brief. */
export type Generator = (brief: Brief) => Promise<Generated>;

/** The handlers of the service with a client of a provider; without a key the templates answer. */
export function createGenerator(ai: Ai, cleaner: HtmlCleaner): Generator {
  // A tenant without settings of the addon: no key and no tone of its own.
  const tools = { ai, cleaner, addonSettings: async () => ({}) } as unknown as Tools;
  const caller = { tenantId: 1, environment: 'sandbox' };
  const handlers = {
    sequence: { schema: operations.generateSequence.body, handler: generateSequence(tools) },
    page: { schema: operations.generateLandingPage.body, handler: generateLandingPage(tools) },
    content: { schema: operations.generateContent.body, handler: generateContent(tools) },
  };
  return (brief) => {
    const { schema, handler } = handlers[brief.kind === 'email' || brief.kind === 'text' ? 'content' : brief.kind];
    const { check } = handler as { check(context: object): Promise<Generated> };
    return check({ body: schema.parse(requestOf(brief)), caller });
  };
}
