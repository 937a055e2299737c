import { freeForm, name, operations, text } from '@tandem/contract';
import { z } from 'zod';
import { GeneratedPage } from './landing-pages.ts';
import { Sequence } from './workflows.ts';

const promptMax = 4000;
// Generation asks a provider for up to 30 s.
const timeoutMs = 60_000;
const headers = { 'X-AI-Source': 'model or template: where the result comes from' };

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
    prompt: name(promptMax),
    responseSchema: z.record(z.string(), z.unknown()).optional(),
    context: freeForm().optional(),
    maxTokens: z.int().min(1).max(4096).optional(),
    temperature: z.number().min(0).max(2).optional(),
  }),
  reply: z.object({ output: z.unknown() }),
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
      'The result can be sent to POST /v1/workflows as it is. Of a range in `emailCount` the upper bound counts.',
    body: z.object({
      prompt: name(promptMax),
      industry: text(200).nullish(),
      tone: text(200).nullish(),
      emailCount: text(50).nullish(),
    }),
    reply: Sequence,
    message: 'Sequence generated',
  },
  generateLandingPage: {
    ...ofPeople,
    path: '/v1/campaigns/ai/generate-landing-page',
    summary: 'Generate a landing page',
    description: 'The result can be sent to POST /v1/campaigns/landing-pages as it is.',
    body: z.object({
      prompt: name(promptMax),
      industry: text(200).nullish(),
      goal: text(500).nullish(),
      tone: text(200).nullish(),
    }),
    reply: GeneratedPage,
    message: 'Landing page generated',
  },
  generateContent: {
    ...ofAnybody,
    path: '/v1/ai-generation',
    summary: 'Generate a text, or a structure of your own',
    description:
      'With `responseSchema`, a JSON Schema (at most 64 KB and 10 levels, references inside it only, no patterns, and no alternatives within alternatives that take too long to check), `output` always fits it; without, `output` is a text.',
  },
  generate: {
    ...ofAnybody,
    path: '/v1/ai/generate',
    summary: 'Generate a text, or a structure of your own',
    description: 'Does what POST /v1/ai-generation does.',
    deprecated: { since: '2025-10-01', sunset: '2027-12-31', successor: '/v1/ai-generation' },
  },
});
