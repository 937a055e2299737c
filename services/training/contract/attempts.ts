import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Enrollment, enrollmentStarted, LearnerType } from './enrollment.ts';
import { completionEvents, learningErrors, lessonOfEnrollment } from './progress.ts';
import { Question } from './questions.ts';

export const attemptStatuses = ['in_progress', 'submitted', 'graded', 'ended'] as const;
export const AttemptStatus = z
  .enum(attemptStatuses)
  .describe(
    'Whether the attempt is in progress, waits for a grade, is graded, or ended without a grade because the enrolment ended, the lesson was deleted, or the data of the learner was erased',
  );

export const attemptLimits = { textChars: 50_000, files: 10, answerChars: 2_000 } as const;

const AnswerKeys = z
  .array(z.string().max(20, 'Must be at most 20 characters'))
  .max(20, 'Must contain at most 20 keys')
  .meta({ description: 'The keys of the chosen options', examples: [['a']] });
const AnswerText = text(attemptLimits.answerChars).meta({
  description: 'The answer to a question of the type text',
  examples: ['An open question'],
});
const AnswerNumber = z
  .number({ error: 'Must be a number' })
  .meta({ description: 'The answer to a question of the type number', examples: [42] });

/** The answer to one question of an attempt. */
export const AttemptAnswer = z.object({
  questionId: id('question'),
  keys: AnswerKeys.optional(),
  text: AnswerText.optional(),
  number: AnswerNumber.optional(),
});

const AttemptResult = z.object({
  questionId: id('question'),
  correct: z.boolean().describe('Whether the answer is correct'),
  points: z.number().meta({ description: 'The points of the answer', examples: [1] }),
  correctKeys: z.array(z.string()).meta({ description: 'The keys of the correct options', examples: [['a']] }),
  feedback: z.array(z.string()).meta({ description: 'The texts of the chosen options', examples: [[]] }),
  explanation: z
    .string()
    .nullable()
    .meta({ description: 'The explanation of the answer', examples: [null] }),
});

export const LessonAttempt = z.object({
  id: id('attempt'),
  enrollmentId: id('enrollment'),
  courseId: id('course'),
  lessonId: id('lesson'),
  number: z.int().meta({ description: 'The number of the attempt at this lesson, from 1', examples: [1] }),
  status: AttemptStatus.meta({ examples: ['in_progress'] }),
  questions: z.array(Question).describe('The questions of the attempt, without their answer keys'),
  answers: z
    .array(
      AttemptAnswer.extend({ keys: AnswerKeys.nullish(), text: AnswerText.nullish(), number: AnswerNumber.nullish() }),
    )
    .describe('The answers so far; empty in the attempts of others without `training:manage`'),
  results: z
    .array(AttemptResult)
    .nullable()
    .meta({
      description: 'The results of the answers; null if the attempt is not graded or the quiz does not show them',
      examples: [null],
    }),
  text: text(attemptLimits.textChars)
    .nullable()
    .meta({ description: 'The text that was handed in', examples: [null] }),
  fileIds: z.array(id('file')).describe('The files that were handed in'),
  fileChecksums: z.array(z.string()).meta({
    description:
      'The SHA-256 checksums that these files had when they were handed in, in the same order: a version of the file with another one is later work. Empty for attempts of earlier releases',
    examples: [['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']],
  }),
  score: z
    .number()
    .nullable()
    .meta({ description: 'The score, from 0 to 100', examples: [null] }),
  passScore: z
    .number()
    .nullable()
    .meta({ description: 'The score that passes', examples: [80] }),
  passed: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether the score passes; null until graded', examples: [null] }),
  feedback: z
    .string()
    .nullable()
    .meta({ description: 'The feedback of the grader', examples: [null] }),
  startedAt: timestamp().describe('When the attempt began'),
  endsAt: timestamp()
    .nullable()
    .meta({ description: 'When the time limit ends; null without one', examples: [null] }),
  submittedAt: timestamp()
    .nullable()
    .meta({ description: 'When the answers were submitted', examples: [null] }),
  gradedAt: timestamp()
    .nullable()
    .meta({ description: 'When the attempt was graded', examples: [null] }),
  gradedBy: id('user').nullable().describe('The user who graded it; null if it was graded automatically'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const ofAttempt = {
  target: 'attempt',
  record: z.object({ id: id('attempt') }),
  data: z.object({ attemptId: id('attempt'), enrollmentId: id('enrollment'), lessonId: id('lesson') }),
} as const;
export const attemptStarted = event('training.attempt.started', {
  ...ofAttempt,
  description: 'A learner begins an attempt at a quiz or assignment',
  action: 'attempt.start',
});
export const attemptSubmitted = event('training.attempt.submitted', {
  ...ofAttempt,
  description: 'A learner submits an attempt at a quiz or assignment',
  action: 'attempt.submit',
});
export const attemptGraded = event('training.attempt.graded', {
  ...ofAttempt,
  description: 'An assignment is graded',
  action: 'attempt.grade',
});

export const lessonFailed = event('training.lesson.failed', {
  group: 'training',
  readPermission: 'training:read',
  description: 'A learner does not reach the pass mark of a quiz or assignment',
  action: 'lesson.fail',
  target: 'attempt',
  data: z.object({
    courseId: id('course'),
    lessonId: id('lesson'),
    enrollmentId: id('enrollment'),
    learnerType: LearnerType,
    learnerId: id('learner'),
    score: z.number().describe('The score of the attempt, from 0 to 100'),
    passScore: z.number().describe('The score that passes the lesson, from 0 to 100'),
    attempt: z.int().describe('The number of the attempt'),
    attemptsLeft: z.int().nullable().describe('How many attempts are left; null for any number'),
  }),
  record: z.object({ id: id('attempt') }),
  example: {
    courseId: 'r3mQ2aihbZeOiI80',
    lessonId: 'mTWEq9MHpV40trse',
    enrollmentId: 'K164dVTlqa3OcG9l',
    learnerType: 'user',
    learnerId: 'a3HT7XOrDKJZ9JtB',
    score: 40,
    passScore: 80,
    attempt: 1,
    attemptsLeft: 2,
  },
});

const withId = z.object({ id: id('attempt') });

export const attemptErrors = {
  ...learningErrors,
  attempts_used: [409, 'All attempts at this lesson are used'],
  waits_for_grade: [409, 'The last attempt waits for its grade'],
} as const;
export const submitErrors = {
  attempt_ended: [409, 'The attempt was submitted or has ended'],
  time_over: [409, 'The time of the attempt is over'],
  enrollment_ended: learningErrors.enrollment_ended,
} as const;

export const AttemptAnswers = z
  .array(AttemptAnswer)
  .max(400, 'Must contain at most 400 answers')
  .describe('One answer per question');

export const submission = z.object({
  answers: AttemptAnswers.default([]),
  text: text(attemptLimits.textChars)
    .nullish()
    .meta({ description: 'The text of an assignment', examples: ['My plan for the first call'] }),
  fileIds: z
    .array(id('file'))
    .max(attemptLimits.files, `Must contain at most ${attemptLimits.files} files`)
    .describe(
      'The files of an assignment. Attach files of a lead to the lead, so that they are removed with the data of the lead',
    )
    .default([]),
});

export const attempts = operations({
  startAttempt: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/lessons/:lessonId/attempts',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Begin an attempt at a quiz or assignment',
    description:
      'Draws the questions. If an attempt is in progress, it is returned instead, so that two windows have the same one.',
    params: lessonOfEnrollment,
    reply: LessonAttempt,
    status: 201,
    mayExist: true,
    message: 'Attempt started',
    emits: [attemptStarted, enrollmentStarted, ...completionEvents, lessonFailed],
    errors: attemptErrors,
  },
  listAttempts: {
    method: 'GET',
    path: '/v1/training/attempts',
    permission: 'training:read',
    narrows: true,
    summary: 'List attempts',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        enrollmentId: id('enrollment').optional(),
        lessonId: id('lesson').optional(),
        courseId: id('course').optional(),
        status: AttemptStatus.optional(),
      }),
    reply: page(
      LessonAttempt.omit({ questions: true, answers: true, results: true }).extend(
        Enrollment.pick({ learnerType: true, learnerId: true }).shape,
      ),
    ),
    message: 'Attempts retrieved',
  },
  getAttempt: {
    method: 'GET',
    path: '/v1/training/attempts/:id',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve an attempt',
    params: withId,
    reply: LessonAttempt,
    message: 'Attempt retrieved',
  },
  saveAttemptAnswers: {
    method: 'PUT',
    path: '/v1/training/attempts/:id/answers',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Save the answers of an attempt',
    description: 'Replaces the saved answers. When the time is over, the saved answers are graded.',
    params: withId,
    body: z.object({ answers: AttemptAnswers }),
    reply: LessonAttempt,
    message: 'Answers saved',
    emits: [],
    errors: submitErrors,
  },
  submitAttempt: {
    method: 'POST',
    path: '/v1/training/attempts/:id/submit',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Submit an attempt',
    description:
      'A quiz is graded at once; answers that are not sent are those that were saved. An assignment, with a text or files, waits for its grade. Files need the permission `files:read`.',
    params: withId,
    body: submission,
    reply: LessonAttempt,
    example: { status: 'graded', score: 100, passed: true },
    message: 'Attempt submitted',
    emits: [attemptSubmitted, ...completionEvents, lessonFailed],
    errors: submitErrors,
  },
  gradeAttempt: {
    method: 'POST',
    path: '/v1/training/attempts/:id/grade',
    permission: 'training:manage',
    feature: 'training',
    checksPermissions: true,
    summary: 'Grade an assignment',
    description:
      'Grades a submitted attempt of somebody else, once; also if the enrolment has expired or the lesson was deleted since.',
    params: withId,
    body: z.object({
      score: z
        .number({ error: 'Must be a number from 0 to 100' })
        .min(0, 'Must be a number from 0 to 100')
        .max(100, 'Must be a number from 0 to 100')
        .meta({ description: 'The score', examples: [90] }),
      feedback: text(5_000)
        .nullish()
        .meta({ description: 'The feedback for the learner', examples: ['Well argued'] }),
    }),
    reply: LessonAttempt,
    example: { status: 'graded', score: 90, passed: true },
    message: 'Attempt graded',
    emits: [attemptGraded, ...completionEvents, lessonFailed],
    errors: {
      not_submitted: [409, 'The attempt is not waiting for a grade'],
      enrollment_ended: learningErrors.enrollment_ended,
    },
  },
});
