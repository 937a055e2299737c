import { freeForm, name, operations, text } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedPage } from './landing-pages.ts';
import { Sequence } from './workflows.ts';

const promptMax = 4000;
// Generation asks a provider for up to 30 s.
const timeoutMs = 60_000;
const headers = { 'X-AI-Source': 'What made the result: a language model (`model`) or built-in text (`template`)' };

const Prompt = (example: string) =>
  name(promptMax).meta({ description: 'What to generate, in your own words', examples: [example] });
const Industry = text(200).meta({ description: 'The industry you work in', examples: ['Software'] });
const Tone = text(200).meta({ description: 'How the text should sound', examples: ['Friendly'] });

const ofPeople = {
  method: 'POST',
  permission: 'ai:write',
  peopleOnly: true,
  envelope: 'short',
  timeoutMs,
  headers,
  emits: [],
} as const;

const ofAnybody = {
  method: 'POST',
  permission: 'ai:write',
  envelope: 'short',
  body: z.object({
    prompt: Prompt('A headline for our spring offer'),
    responseSchema: z
      .record(z.string(), z.unknown())
      .meta({
        description: 'A JSON Schema that `output` must fit: at most 64 KB and 10 levels',
        examples: [{ type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }],
      })
      .optional(),
    context: freeForm()
      .meta({ description: 'Facts that the text should use', examples: [{ product: 'Difference engine' }] })
      .optional(),
    maxTokens: z
      .int()
      .min(1)
      .max(4096)
      .meta({ description: 'The largest length of the result, in tokens of the model', examples: [500] })
      .optional(),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .meta({ description: 'How freely the model chooses its words, from 0 to 2', examples: [0.7] })
      .optional(),
  }),
  reply: z.object({
    output: z.unknown().meta({
      description: 'The text, or with `responseSchema` a value that fits it',
      examples: [{ title: 'A fresh start into spring' }],
    }),
  }),
  message: 'Content generated',
  timeoutMs,
  headers,
  emits: [],
} as const;

export const ai = operations({
  generateSequence: {
    ...ofPeople,
    path: '/v1/campaigns/ai/generate-sequence',
    summary: 'Generate a workflow sequence',
    description:
      'You can send the result to POST /v1/workflows unchanged. If `emailCount` is a range, its upper bound counts.',
    body: z.object({
      prompt: Prompt('A welcome sequence for new trial users'),
      industry: Industry.nullish(),
      tone: Tone.nullish(),
      emailCount: text(50)
        .nullish()
        .meta({ description: 'How many e-mails the sequence has: a number or a range', examples: ['3-5'] }),
    }),
    reply: Sequence,
    message: 'Sequence generated',
  },
  generateLandingPage: {
    ...ofPeople,
    path: '/v1/campaigns/ai/generate-landing-page',
    summary: 'Generate a landing page',
    description: 'You can send the result to POST /v1/campaigns/landing-pages unchanged.',
    body: z.object({
      prompt: Prompt('A page for our spring offer'),
      industry: Industry.nullish(),
      goal: text(500)
        .nullish()
        .meta({ description: 'What visitors should do', examples: ['Sign up'] }),
      tone: Tone.nullish(),
    }),
    reply: GeneratedPage,
    message: 'Landing page generated',
  },
  generateContent: {
    ...ofAnybody,
    path: '/v1/ai-generation',
    summary: 'Generate text or structured data',
    description:
      'With `responseSchema`, a JSON Schema (at most 64 KB and 10 levels, references inside it only, no patterns, and no alternatives within alternatives that take too long to check), `output` always fits it; without, `output` is a text.',
  },
  generate: {
    ...ofAnybody,
    path: '/v1/ai/generate',
    summary: 'Generate text or structured data',
    description: 'Does the same as POST /v1/ai-generation.',
    deprecated: { since: '2025-10-01', sunset: '2027-12-31', successor: '/v1/ai-generation' },
  },
});
