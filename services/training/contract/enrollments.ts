import {
  event,
  flag,
  id,
  listQuery,
  operations,
  orJob,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const enrollmentStatuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export const learnerTypes = ['user', 'partner', 'lead'] as const;
export const withdrawReasons = ['by_hand', 'user_left', 'lead_deleted', 'lead_merged', 'erased'] as const;
export const enrollmentSources = ['manual', 'bulk', 'rule', 'self'] as const;

export const EnrollmentStatus = z.enum(enrollmentStatuses).describe('The status of the enrolment');
export const LearnerType = z.enum(learnerTypes).describe('Whether the learner is a user, a partner or a lead');
const EnrollmentSource = z
  .enum(enrollmentSources)
  .describe('How the learner was enrolled: by a person, with many others, by a rule, or by themselves');

export const enrollmentStates = stateTable<(typeof enrollmentStatuses)[number]>('Enrollment', {
  created: { enrolled: 'createEnrollment' },
  changes: {
    enrolled: { in_progress: 'recordProgress', withdrawn: 'withdrawEnrollment' },
    in_progress: { completed: 'completeLesson', withdrawn: 'withdrawEnrollment' },
    completed: {},
    expired: { enrolled: 'extendEnrollment', in_progress: 'extendEnrollment' },
    withdrawn: {},
  },
  automatic: {
    enrolled: { expired: 'end-enrollment.job', completed: 'follow-content.job' },
    in_progress: { expired: 'end-enrollment.job', completed: 'follow-content.job' },
  },
});

const Percent = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'The completed part of the required lessons, from 0 to 100', examples: [0] });
const Score = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'The average of the best scores of the required quizzes and assignments', examples: [null] });

/** The most learners that one request enrols: within the request, and by a background job. */
export const bulkEnrollmentLimits = { now: 250, job: 10_000 } as const;

export const Enrollment = z.object({
  id: id('enrollment'),
  courseId: id('course'),
  learnerType: LearnerType.meta({ examples: ['user'] }),
  learnerId: id('learner').describe('The user, partner or lead who takes the course'),
  status: EnrollmentStatus.meta({ examples: ['enrolled'] }),
  allowedTransitions: z.array(EnrollmentStatus).meta({
    description: 'The statuses that this enrolment can currently change to',
    examples: [['in_progress', 'withdrawn']],
  }),
  source: EnrollmentSource.meta({ examples: ['manual'] }),
  ruleId: id('enrollment_rule').nullable().describe('The rule that enrolled the learner'),
  withdrawReason: z
    .enum(withdrawReasons)
    .nullable()
    .meta({
      description:
        'Why the learner was withdrawn: by a request, because the user was suspended or deactivated, or because the lead was deleted, merged into one with an enrolment, or erased. null in other enrolments',
      examples: [null],
    }),
  attemptNo: z.int().meta({ description: 'How often the learner has taken the course, with this time', examples: [1] }),
  contentVersion: z
    .int()
    .meta({ description: 'The version of the content of the course that the progress refers to', examples: [1] }),
  percent: Percent,
  score: Score.nullable(),
  secondsSpent: z.int().meta({ description: 'The time that the learner spent in lessons, in seconds', examples: [0] }),
  lastLessonId: id('lesson').nullable().describe('The lesson in which the learner was last'),
  lastActivityAt: timestamp()
    .nullable()
    .meta({ description: 'When the learner was last active', examples: [null] }),
  enrolledAt: timestamp().describe('When the learner was enrolled'),
  startedAt: timestamp()
    .nullable()
    .meta({ description: 'When the learner opened the first lesson', examples: [null] }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the course was completed', examples: [null] }),
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the course must be completed', examples: ['2026-06-30T00:00:00.000Z'] }),
  overdue: z
    .boolean()
    .meta({ description: 'Whether `dueAt` has passed and the course is not completed', examples: [false] }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the learner loses access to the course', examples: ['2026-12-31T00:00:00.000Z'] }),
  certificateId: id('certificate').nullable().describe('The certificate of the completion'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  group: 'training',
  readPermission: 'training:read',
  target: 'enrollment',
  data: z.object({ enrollmentId: id('enrollment'), courseId: id('course'), learnerId: id('learner') }),
  record: Enrollment,
  // Events of the release before lacked these fields.
  whenMissing: {
    record: {
      learnerType: 'user',
      allowedTransitions: [] as never[],
      source: 'manual',
      attemptNo: 1,
      contentVersion: 1,
      percent: 0,
      secondsSpent: 0,
      overdue: false,
    },
  },
  example: { enrollmentId: 'K164dVTlqa3OcG9l', courseId: 'r3mQ2aihbZeOiI80', learnerId: 'a3HT7XOrDKJZ9JtB' },
} as const;
const { group, readPermission, example, whenMissing, ...internal } = change;

export const enrollmentCreated = event('training.enrollment.created', {
  ...change,
  description: 'A learner is enrolled in a course',
  action: 'enrollment.create',
});
export const enrollmentWithdrawn = event('training.enrollment.withdrawn', {
  ...change,
  description: 'A learner is withdrawn from a course',
  action: 'enrollment.withdraw',
});
export const enrollmentUpdated = event('training.enrollment.updated', {
  ...internal,
  description: 'The dates of an enrolment change',
  action: 'enrollment.update',
});
export const enrollmentStarted = event('training.enrollment.started', {
  ...internal,
  description: 'A learner opens the first lesson of a course',
  action: 'enrollment.start',
});
export const enrollmentExpired = event('training.enrollment.expired', {
  ...internal,
  description: 'A learner loses access to a course at the time of `expiresAt`',
  action: 'enrollment.expire',
});
export const enrollmentDue = event('training.enrollment.due', {
  ...change,
  description: 'An enrolment is due in three days',
  action: 'enrollment.due',
});
export const enrollmentOverdue = event('training.enrollment.overdue', {
  ...change,
  description: 'The due date of an enrolment has passed',
  action: 'enrollment.overdue',
});

const withId = z.object({ id: id('enrollment') });
const DueAt = timestamp().nullish().describe('When the course must be completed');
const ExpiresAt = timestamp().nullish().describe('When the learner loses access; not before `dueAt`');

const enrollErrors = {
  not_published: [409, 'The course is not published'],
  already_enrolled: [409, 'The learner is already enrolled in this course'],
  prerequisites_open: [409, 'The learner has not completed the courses that this one requires'],
} as const;

export const enrollments = operations({
  createEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments',
    permission: 'training:write',
    feature: 'training',
    summary: 'Enrol a learner in a course',
    description:
      'The course must be published and for this type of learner: `users` for users, `partners` for partners and leads. The learner must have completed the courses that it requires.',
    body: z.object({
      courseId: id('course'),
      learnerType: LearnerType.describe('The type of the learner; by default the type of `learnerId`').optional(),
      learnerId: id('learner').describe('An active user, an approved partner or a lead'),
      dueAt: DueAt,
      expiresAt: ExpiresAt,
    }),
    reply: Enrollment,
    status: 201,
    message: 'Enrolment created',
    emits: [enrollmentCreated],
    errors: enrollErrors,
  },
  listEnrollments: {
    method: 'GET',
    path: '/v1/training/enrollments',
    permission: 'training:read',
    narrows: true,
    summary: 'List enrolments',
    query: listQuery(['createdAt', 'dueAt'])
      .omit({ search: true })
      .extend({
        courseId: id('course').optional(),
        learnerId: id('learner').optional(),
        learnerType: LearnerType.optional(),
        status: EnrollmentStatus.optional(),
        overdue: flag().describe('Return only enrolments that are overdue, or only others').optional(),
      }),
    reply: page(Enrollment),
    message: 'Enrolments retrieved',
  },
  getEnrollment: {
    method: 'GET',
    path: '/v1/training/enrollments/:id',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve an enrolment',
    params: withId,
    reply: Enrollment,
    message: 'Enrolment retrieved',
  },
  updateEnrollment: {
    method: 'PATCH',
    path: '/v1/training/enrollments/:id',
    permission: 'training:write',
    feature: 'training',
    summary: 'Change the dates of an enrolment',
    description: 'Only of enrolments that have not ended. null removes a date.',
    params: withId,
    body: z.object({ dueAt: DueAt, expiresAt: ExpiresAt }),
    reply: Enrollment,
    message: 'Enrolment updated',
    emits: [enrollmentUpdated],
    errors: { enrollment_ended: [409, 'The enrolment has ended'] },
  },
  withdrawEnrollment: {
    method: 'DELETE',
    path: '/v1/training/enrollments/:id',
    permission: 'training:delete',
    summary: 'Withdraw a learner from a course',
    description: 'Sets the status of the enrolment to `withdrawn`. The progress is kept.',
    params: withId,
    reply: Enrollment,
    example: { status: 'withdrawn', allowedTransitions: [] },
    message: 'Enrolment withdrawn',
    emits: [enrollmentWithdrawn],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  extendEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/extend',
    permission: 'training:write',
    feature: 'training',
    summary: 'Extend an enrolment',
    description:
      'Moves `expiresAt`. An expired enrolment opens again, with its progress; a due date that has passed is removed from it.',
    params: withId,
    body: z.object({
      expiresAt: timestamp().nullable().describe('When the learner loses access; null for never'),
    }),
    reply: Enrollment,
    example: { status: 'in_progress' },
    message: 'Enrolment extended',
    emits: [enrollmentUpdated],
    errors: {
      transition_refused: sharedErrors.transition_refused,
      already_enrolled: enrollErrors.already_enrolled,
    },
  },
  restartEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/restart',
    permission: 'training:write',
    feature: 'training',
    summary: 'Enrol the learner again',
    description:
      'Creates a new enrolment with the next `attemptNo` and without progress. The ended one stays, with its certificate.',
    params: withId,
    body: z.object({ dueAt: DueAt, expiresAt: ExpiresAt }),
    reply: Enrollment,
    status: 201,
    ifMatch: true,
    message: 'Enrolment restarted',
    emits: [enrollmentCreated],
    errors: {
      ...enrollErrors,
      transition_refused: sharedErrors.transition_refused,
    },
  },
  bulkCreateEnrollments: {
    method: 'POST',
    path: '/v1/training/enrollments:bulk-create',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Enrol many learners in a course',
    description: `Up to ${bulkEnrollmentLimits.now} learners are enrolled at once, with one result each; a learner who cannot be enrolled does not stop the others. With more learners, up to ${bulkEnrollmentLimits.job}, the response is 202 and a background job enrols them. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the learners who could not be enrolled.`,
    body: z.object({
      courseId: id('course'),
      learnerIds: z
        .array(id('learner'))
        .min(1, 'Must contain at least 1 id')
        .max(bulkEnrollmentLimits.job, `Must contain at most ${bulkEnrollmentLimits.job} ids`)
        .describe('Users, partners or leads'),
      dueAt: DueAt,
      expiresAt: ExpiresAt,
    }),
    // 10,000 ids of 17 characters.
    bodyMax: 512 * 1024,
    timeoutMs: 30_000,
    reply: orJob(
      z.object({
        succeeded: z.int().meta({ description: 'The number of learners who were enrolled', examples: [1] }),
        failed: z.int().meta({ description: 'The number of learners who were not enrolled', examples: [0] }),
        results: z
          .array(
            z.object({
              learnerId: id('learner').describe('The learner, as in the request'),
              id: id('enrollment').nullable().describe('The enrolment; null if there is none'),
              success: z.boolean().describe('Whether the learner was enrolled'),
              error: z
                .object({
                  code: z
                    .string()
                    .meta({ description: 'A machine-readable error code', examples: ['already_enrolled'] }),
                  message: text(500).meta({ description: 'The reason', examples: ['Is already enrolled'] }),
                })
                .nullable()
                .meta({ description: 'Why the learner was not enrolled; null otherwise', examples: [null] }),
            }),
          )
          .describe('One result per learner, in the order of the request'),
      }),
    ),
    message: 'Learners enrolled',
    emits: [enrollmentCreated],
    errors: { not_published: enrollErrors.not_published },
  },
});
