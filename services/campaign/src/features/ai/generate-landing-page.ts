import type { Source } from '@tandem/ai';
import { type ai, GeneratedPage } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { cleanHtml } from '../landing-pages/clean-html.ts';
import { pageFaults } from './checks.ts';
import { landingPageTemplate } from './templates/landing-page.ts';
import { wishText } from './wish.ts';

const instructions = `You design landing pages for a marketing platform.
The slug is in kebab-case. Sections are ordered from 0 without gaps, each with a sectionId of its own. The content is the
body of the page as HTML: headings, paragraphs, lists, links and images, with classes but without scripts, styles, event
handlers, frames and forms. Colours are hexadecimal.`;

type Generated = { output: z.output<typeof GeneratedPage>; source: Source };

export const generateLandingPage = (tools: Tools): Handler<typeof ai.generateLandingPage, Generated> => ({
  check: ({ body }) =>
    tools.ai.generate({
      name: 'landing_page',
      instructions,
      prompt: wishText(body.prompt, { Industry: body.industry, Goal: body.goal, Tone: body.tone }),
      schema: GeneratedPage,
      check: pageFaults,
      template: () => landingPageTemplate(body),
    }),
  run({ found: { output, source }, header }) {
    header('X-AI-Source', source);
    return { ...output, content: cleanHtml(output.content) };
  },
});
