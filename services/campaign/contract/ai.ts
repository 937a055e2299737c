import { freeForm, operations, requiredText, text } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedPage } from './landing-page.ts';
import { Sequence } from './workflow.ts';

const promptMax = 4000;
// A request to the AI provider can take up to 30 s.
const timeoutMs = 60_000;
const headers = {
  'X-AI-Source': 'The source of the result: a language model (`model`) or a built-in template (`template`)',
};

const Prompt = (example: string) =>
  requiredText(promptMax).meta({
    description: 'A description of what to generate, in your own words',
    examples: [example],
  });
const Industry = text(200).meta({ description: 'Your industry', examples: ['Software'] });
const Tone = text(200).meta({ description: 'The tone of the text', examples: ['Friendly'] });

const interactive = {
  method: 'POST',
  permission: 'ai:write',
  feature: 'ai_generation',
  peopleOnly: true,
  envelope: 'short',
  timeoutMs,
  headers,
  emits: [],
} as const;

const generation = {
  method: 'POST',
  permission: 'ai:write',
  feature: 'ai_generation',
  envelope: 'short',
  body: z.object({
    prompt: Prompt('A headline for our spring offer'),
    responseSchema: z
      .record(z.string(), z.unknown())
      .meta({
        description: 'A JSON Schema for `output`: at most 64 KB and 10 levels',
        examples: [{ type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }],
      })
      .optional(),
    context: freeForm()
      .meta({ description: 'Facts that the generated text can use', examples: [{ product: 'Difference engine' }] })
      .optional(),
    maxTokens: z
      .int()
      .min(1)
      .max(4096)
      .meta({ description: 'The maximum length of the result, in tokens of the model', examples: [500] })
      .optional(),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .meta({
        description: 'The sampling temperature of the model, from 0 to 2; higher values give more varied results',
        examples: [0.7],
      })
      .optional(),
  }),
  reply: z.object({
    output: z.unknown().meta({
      description: 'The generated text, or with `responseSchema` a value that is valid against it',
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
    ...interactive,
    path: '/v1/campaigns/ai/generate-sequence',
    summary: 'Generate a workflow sequence',
    description:
      'You can send the result unchanged to POST /v1/workflows. If `emailCount` is a range, the upper bound is used.',
    body: z.object({
      prompt: Prompt('A welcome sequence for new trial users'),
      industry: Industry.nullish(),
      tone: Tone.nullish(),
      emailCount: text(50)
        .nullish()
        .meta({ description: 'The number of e-mails in the sequence: a number or a range', examples: ['3-5'] }),
    }),
    reply: Sequence,
    message: 'Sequence generated',
  },
  generateLandingPage: {
    ...interactive,
    path: '/v1/campaigns/ai/generate-landing-page',
    summary: 'Generate a landing page',
    description: 'You can send the result unchanged to POST /v1/campaigns/landing-pages.',
    body: z.object({
      prompt: Prompt('A page for our spring offer'),
      industry: Industry.nullish(),
      goal: text(500)
        .nullish()
        .meta({ description: 'The action that visitors should take', examples: ['Sign up'] }),
      tone: Tone.nullish(),
    }),
    reply: GeneratedPage,
    message: 'Landing page generated',
  },
  generateContent: {
    ...generation,
    path: '/v1/ai-generation',
    summary: 'Generate text or structured data',
    description:
      'With `responseSchema`, `output` is always valid against that JSON Schema; without it, `output` is a text. Limits of the schema: 64 KB, 10 levels, no remote references, no patterns, and no nested alternatives that take too long to validate.',
  },
  generate: {
    ...generation,
    path: '/v1/ai/generate',
    summary: 'Generate text or structured data',
    description: 'Behaves like POST /v1/ai-generation.',
    deprecated: { since: '2025-10-01', sunset: '2027-12-31', successor: '/v1/ai-generation' },
  },
});
