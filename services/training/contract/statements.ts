import { id, operations } from '@tandem/contract';
import { z } from 'zod';

/** Records whose statements one page has. */
export const statementRecordsMax = 50;

const languageMap = (description: string) =>
  z.record(z.string(), z.string()).meta({ description, examples: [{ 'en-US': 'completed' }] });

const activity = (description: string) =>
  z
    .object({
      objectType: z.literal('Activity').describe('Always `Activity`'),
      id: z.string().meta({
        description: 'The IRI of the activity',
        examples: ['https://api.example.com/xapi/lessons/mTWEq9MHpV40trse'],
      }),
      definition: z
        .object({
          type: z.string().meta({
            description: 'The IRI of the kind of activity',
            examples: ['http://adlnet.gov/expapi/activities/lesson'],
          }),
          name: languageMap('The name by language').optional(),
        })
        .describe('The facts of the activity'),
    })
    .describe(description);
const activities = (description: string) => z.array(activity('An activity')).describe(description);
const part = (description: string, example: number) => z.number().meta({ description, examples: [example] });
const plain = (description: string, example: string) => z.string().meta({ description, examples: [example] });

/** A statement of xAPI 1.0.3. Its fields are named by that standard. */
export const XapiStatement = z
  .object({
    id: plain('A UUID of version 5, which stays the same', '6c8ea3c4-3c1b-5c69-9a0f-0f1d4c4b8a11'),
    actor: z
      .object({
        objectType: z.literal('Agent').describe('Always `Agent`'),
        account: z
          .object({
            homePage: plain('The address of this API', 'https://api.example.com'),
            name: plain('The id of the learner', 'a3HT7XOrDKJZ9JtB'),
          })
          .describe('The account of the learner'),
      })
      .describe('The learner'),
    verb: z
      .object({
        id: plain('The IRI of the verb', 'http://adlnet.gov/expapi/verbs/completed'),
        display: languageMap('The verb by language'),
      })
      .describe('The action of the learner'),
    object: activity('The course, lesson or question'),
    result: z
      .object({
        score: z
          .object({
            scaled: part('From 0 to 1', 0.925),
            raw: part('From 0 to 100', 92.5),
            min: part('Always 0', 0),
            max: part('Always 100', 100),
          })
          .describe('The score')
          .optional(),
        success: z.boolean().describe('Whether it was passed, or the answer is right').optional(),
        completion: z.boolean().describe('Whether it was completed').optional(),
        response: plain('The answer', 'a').optional(),
        duration: plain('The time, as ISO 8601 duration', 'PT20M').optional(),
        extensions: z
          .record(z.string(), z.unknown())
          .meta({ description: 'The percentage of a statement with the verb progressed', examples: [{}] })
          .optional(),
      })
      .describe('The result')
      .optional(),
    context: z
      .object({
        registration: plain('A UUID of the enrolment', '0f4f0f3c-9d9e-5d9a-8a36-3c7a06a1f7c2'),
        platform: plain('Always `Tandem`', 'Tandem'),
        contextActivities: z
          .object({
            parent: activities('The course of a lesson, or the lesson of a question').optional(),
            grouping: activities('The course').optional(),
          })
          .describe('The activities around it'),
      })
      .describe('The circumstances'),
    timestamp: plain('When it happened', '2026-06-01T08:00:00.000Z'),
    version: z.literal('1.0.3').describe('The version of xAPI'),
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
      statements: z.array(XapiStatement).describe('The statements of the page'),
      more: z
        .string()
        .nullable()
        .meta({ description: 'The `cursor` of the next page; null after the last', examples: [null] }),
    }),
    message: 'Statements retrieved',
  },
});
