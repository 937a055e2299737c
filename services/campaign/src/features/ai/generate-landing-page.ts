import type { Source } from '@tandem/ai';
import { type ai, GeneratedPage } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { cleanContent } from '../landing-pages/landing-page.ts';
import { pageErrors } from './checks.ts';
import { generationSettings } from './generation-settings.ts';
import { promptText } from './prompt-text.ts';
import { landingPageTemplate } from './templates/landing-page.ts';

const instructions = `You design landing pages for a marketing platform.
The slug is in kebab-case. The order of the sections is 0, 1, 2 and so on; every sectionId is unique. The content is the
body of the page as HTML: headings, paragraphs, lists, links and images, with classes but without scripts, styles, event
handlers, frames and forms. Colours are hexadecimal codes.`;

type Generated = { output: z.output<typeof GeneratedPage>; source: Source };

export const generateLandingPage = (tools: Tools): Handler<typeof ai.generateLandingPage, Generated> => ({
  async check({ body: requested, caller }) {
    const { cleaner } = tools;
    const { apiKey, tone } = await generationSettings(tools, caller);
    const body = { ...requested, tone: requested.tone ?? tone };
    const { output, source } = await tools.ai.generate({
      apiKey,
      name: 'landing_page',
      instructions,
      prompt: promptText(body.prompt, { Industry: body.industry, Goal: body.goal, Tone: body.tone }),
      schema: GeneratedPage,
      check: (page) => pageErrors(page, cleaner, caller.tenantId),
      template: () => landingPageTemplate(body),
    });
    return { output: { ...output, content: await cleanContent(cleaner, output.content, caller.tenantId) }, source };
  },
  run({ found: { output, source }, header }) {
    header('X-AI-Source', source);
    return output;
  },
});
