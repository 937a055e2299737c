import { id, media, operations, secret, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { attemptErrors, attemptStarted, lessonFailed } from './attempts.ts';
import { enrollmentStarted } from './enrollment.ts';
import { completionEvents, learningErrors, lessonOfEnrollment } from './progress.ts';
import { scormLaunchSeconds, scormLimits } from './scorm-package.ts';

const short = (description: string, example: string) =>
  z
    .string()
    .max(scormLimits.textChars, `Must be at most ${scormLimits.textChars} characters`)
    .meta({ description, examples: [example] });

const scoreWith = (number: (max: number) => z.ZodNumber) => {
  const of = (description: string, example: number, max: number = scormLimits.scoreMax) =>
    number(max)
      .meta({ description, examples: [example] })
      .nullish();
  return z
    .object({
      raw: of('The score', 80),
      min: of('The lowest possible score', 0),
      max: of('The highest possible score; without effect unless it is above `min`', 100),
      scaled: of('The score from -1 to 1', 0.8, 1),
    })
    .describe('The score that the package reports');
};
const Score = scoreWith((max) => {
  const message = `Must be a number from -${max} to ${max}`;
  return z.number({ error: message }).min(-max, message).max(max, message);
});
// Earlier releases stored any number.
const StoredScore = scoreWith(() => z.number());

export const ScormCompletionStatus = z
  .enum(['completed', 'incomplete', 'not attempted', 'unknown'], {
    error: 'Must be one of completed, incomplete, not attempted, unknown',
  })
  .describe('Whether the content was completed');
export const ScormSuccessStatus = z
  .enum(['passed', 'failed', 'unknown'], { error: 'Must be one of passed, failed, unknown' })
  .describe('Whether the content was passed');

const objectives = (score: typeof Score) =>
  z
    .array(
      z.object({
        id: short('The id of the objective', 'objective-1'),
        score: score.default({}),
        successStatus: ScormSuccessStatus.default('unknown'),
        completionStatus: ScormCompletionStatus.default('unknown'),
      }),
    )
    .max(scormLimits.objectives, `Must contain at most ${scormLimits.objectives} objectives`)
    .meta({ description: 'The objectives of the package', examples: [[]] })
    .default([]);

/** The stored run-time data of a package, the same for both versions of SCORM. */
export const ScormRuntime = z.object({
  completionStatus: ScormCompletionStatus.default('unknown'),
  successStatus: ScormSuccessStatus.default('unknown'),
  progress: z
    .number({ error: 'Must be a number from 0 to 1' })
    .min(0, 'Must be a number from 0 to 1')
    .max(1, 'Must be a number from 0 to 1')
    .meta({ description: 'The part of the content that was seen, from 0 to 1', examples: [0.5] })
    .nullish(),
  score: StoredScore.default({}),
  location: short('Where the learner stopped', 'page-3').default(''),
  suspendData: text(scormLimits.suspendChars)
    .meta({ description: 'The data that the package keeps for the next launch', examples: ['{"page":3}'] })
    .default(''),
  exit: z
    .enum(['', 'suspend', 'logout', 'normal', 'time-out'], {
      error: 'Must be empty or one of suspend, logout, normal, time-out',
    })
    .meta({ description: 'How the package ended', examples: ['suspend'] })
    .default(''),
  objectives: objectives(StoredScore),
  interactions: z
    .array(
      z.object({
        id: short('The id of the question', 'question-1'),
        type: short('The kind of the question, such as `choice`', 'choice').default(''),
        description: short('The text of the question', 'How does a first call begin?').default(''),
        response: short('The answer', 'a').default(''),
        result: short('Whether the answer is right', 'correct').default(''),
        latency: short('The time of the answer as ISO 8601 duration', 'PT12S').default(''),
        at: timestamp().nullish().describe('When the question was answered'),
      }),
    )
    .max(scormLimits.interactions, `Must contain at most ${scormLimits.interactions} interactions`)
    .meta({ description: 'The answers of the learner', examples: [[]] })
    .default([]),
});

export const ScormLaunch = z.object({
  url: secret(
    z.url().meta({
      description: 'The page that plays the package; it works without credentials',
      examples: ['https://api.example.com/learn/ThisIsOnlyAnExample'],
    }),
  ),
  expiresAt: timestamp().describe('Until when the page works'),
  attemptId: id('attempt').nullable().describe('The attempt that the page records; null if there is nothing to record'),
});

export const ScormProgress = z.object({
  status: z
    .enum(['in_progress', 'completed'])
    .meta({ description: 'The status of the lesson', examples: ['completed'] }),
  passed: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether the attempt is passed; null until it has ended', examples: [true] }),
  attemptScore: z
    .number()
    .nullable()
    .meta({ description: 'The score of the attempt, from 0 to 100', examples: [80] }),
  recorded: z.boolean().meta({
    description: 'False if the request was older than the stored data, or the attempt has ended',
    examples: [true],
  }),
});

const withToken = z.object({
  token: z
    .string()
    .max(2_000)
    .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExample'] }),
});

export const launchErrors = {
  ...attemptErrors,
  package_unavailable: [409, 'The file of the package was changed or cannot be read; save the lesson again'],
} as const;

/** The events that playing a package can cause. */
export const scormEvents = [...completionEvents, lessonFailed] as const;
export const launchEvents = [attemptStarted, enrollmentStarted, ...scormEvents] as const;

const linkErrors = { link_expired: [404, 'The page has expired; open the lesson again'] } as const;

export const scorm = operations({
  launchLesson: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/lessons/:lessonId/launch',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Launch a SCORM lesson',
    description: `Returns the page that plays the package, which works for ${scormLaunchSeconds / 3_600} hours. The learner continues where they stopped. After a failed attempt a new one begins; after a passed one nothing more is recorded. Only the page that was launched last can record.`,
    params: lessonOfEnrollment,
    reply: ScormLaunch,
    message: 'Lesson launched',
    emits: launchEvents,
    errors: launchErrors,
  },
  showScormPlayer: {
    method: 'GET',
    path: '/learn/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Show the page that plays a SCORM package',
    description: 'Returns an HTML page. Opening it changes nothing.',
    params: withToken,
    reply: media('text/html'),
    message: 'The HTML page',
    errors: linkErrors,
  },
  serveScormRuntime: {
    method: 'GET',
    path: '/v1/public/scorm/:token/runtime',
    audience: 'public',
    fromSharedAddresses: true,
    forAnyOrigin: true,
    summary: 'Read the script with the SCORM run-time API',
    description: 'The script has the stored data of the learner. It is loaded by the pages of the package.',
    params: withToken,
    reply: media('text/javascript'),
    message: 'The script',
    errors: linkErrors,
  },
  serveScormContent: {
    method: 'GET',
    path: '/v1/public/scorm/:token/content/*path',
    audience: 'public',
    fromSharedAddresses: true,
    forAnyOrigin: true,
    summary: 'Read a file of a SCORM package',
    description:
      'Pages get a sandbox of their own: they can neither use the session of the learner nor call other hosts.',
    params: withToken.extend({
      path: z
        .string()
        .max(scormLimits.pathChars * 3)
        .meta({ description: 'The path inside the package', examples: ['index.html'] }),
    }),
    reply: media('*/*'),
    message: 'The file',
    errors: { ...linkErrors, package_unavailable: launchErrors.package_unavailable },
  },
  commitScormData: {
    method: 'POST',
    path: '/v1/public/scorm/:token/commits',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Record the data of a SCORM package',
    description:
      'Called by the page that plays the package. A package that passes completes the lesson; one that ends without passing has failed. The server decides by the completion rule of the lesson.',
    params: withToken,
    bodyMax: scormLimits.commitBytes,
    body: ScormRuntime.extend({
      score: Score.default({}),
      objectives: objectives(Score),
      sequence: z
        .int({ error: 'Must be a whole number from 1 to 1000000000' })
        .min(1, 'Must be a whole number from 1 to 1000000000')
        .max(1_000_000_000, 'Must be a whole number from 1 to 1000000000')
        .meta({ description: 'Increases with each request; an older one changes nothing', examples: [1] }),
      finished: z
        .boolean()
        .meta({ description: 'Whether the package has ended', examples: [false] })
        .default(false),
      secondsSpent: z
        .number({ error: 'Must be a number of seconds from 0 to 86400' })
        .min(0, 'Must be a number of seconds from 0 to 86400')
        .max(86_400, 'Must be a number of seconds from 0 to 86400')
        .meta({
          description: 'The time since the last request; at most the time that has passed counts',
          examples: [15],
        })
        .default(0),
    }),
    reply: ScormProgress,
    message: 'Data recorded',
    emits: scormEvents,
    errors: {
      ...linkErrors,
      session_replaced: [409, 'The lesson was opened in another window, which records from now on'],
      enrollment_ended: learningErrors.enrollment_ended,
    },
  },
});
