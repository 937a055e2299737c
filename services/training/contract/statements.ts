import { id, operations } from '@tandem/contract';
import { z } from 'zod';

/** Records whose statements one page has. */
export const statementRecordsMax = 50;

const LanguageMap = z.record(z.string(), z.string());
const Activity = z.object({
  objectType: z.literal('Activity'),
  id: z.string().meta({
    description: 'The IRI of the activity',
    examples: ['https://api.example.com/xapi/lessons/mTWEq9MHpV40trse'],
  }),
  definition: z.object({
    type: z.string().meta({
      description: 'The IRI of the kind of activity',
      examples: ['http://adlnet.gov/expapi/activities/lesson'],
    }),
    name: LanguageMap.optional(),
    description: LanguageMap.optional(),
  }),
});

/** A statement of xAPI 1.0.3. Its fields are named by that standard. */
export const XapiStatement = z
  .object({
    id: z.string(),
    actor: z.object({
      objectType: z.literal('Agent'),
      account: z.object({ homePage: z.string(), name: z.string() }),
    }),
    verb: z.object({ id: z.string(), display: LanguageMap }),
    object: Activity,
    result: z
      .object({
        score: z
          .object({
            scaled: z.number().optional(),
            raw: z.number().optional(),
            min: z.number().optional(),
            max: z.number().optional(),
          })
          .optional(),
        success: z.boolean().optional(),
        completion: z.boolean().optional(),
        response: z.string().optional(),
        duration: z.string().optional(),
        extensions: z.record(z.string(), z.unknown()).optional(),
      })
      .optional(),
    context: z.object({
      registration: z.string(),
      platform: z.string(),
      contextActivities: z.object({ parent: z.array(Activity).optional(), grouping: z.array(Activity).optional() }),
    }),
    timestamp: z.string(),
    version: z.literal('1.0.3'),
  })
  .meta({
    description: 'A statement of xAPI 1.0.3',
    examples: [
      {
        id: '6c8ea3c4-3c1b-5c69-9a0f-0f1d4c4b8a11',
        actor: {
          objectType: 'Agent',
          account: { homePage: 'https://api.example.com', name: 'a3HT7XOrDKJZ9JtB' },
        },
        verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { 'en-US': 'completed' } },
        object: {
          objectType: 'Activity',
          id: 'https://api.example.com/xapi/courses/r3mQ2aihbZeOiI80',
          definition: {
            type: 'http://adlnet.gov/expapi/activities/course',
            name: { 'en-US': 'Selling to engineers' },
          },
        },
        result: { score: { scaled: 0.925, raw: 92.5, min: 0, max: 100 }, completion: true, duration: 'PT20M' },
        context: {
          registration: '0f4f0f3c-9d9e-5d9a-8a36-3c7a06a1f7c2',
          platform: 'Tandem',
          contextActivities: {},
        },
        timestamp: '2026-06-01T08:00:00.000Z',
        version: '1.0.3',
      },
    ],
  });

export const xapiStatements = operations({
  listXapiStatements: {
    method: 'GET',
    path: '/v1/training/enrollments/:id/statements',
    permission: 'training:read',
    narrows: true,
    summary: 'Export an enrolment as xAPI statements',
    description: `Returns statements of xAPI 1.0.3 that are derived from the progress and attempts, lesson by lesson, and those of the course first. Their ids stay the same, so a learning record store takes each of them once. A page has the statements of up to ${statementRecordsMax} records; \`more\` names the next one. The learner is named by an account, without a name or e-mail address.`,
    params: z.object({ id: id('enrollment') }),
    query: z.object({
      cursor: z
        .string()
        .max(200)
        .meta({ description: 'The value of `more` in the previous response', examples: ['bGVzc29uLTEtMQ'] })
        .optional(),
    }),
    reply: z.object({
      statements: z.array(XapiStatement),
      more: z
        .string()
        .nullable()
        .meta({ description: 'The `cursor` of the next page; null after the last', examples: [null] }),
    }),
    message: 'Statements retrieved',
  },
});
