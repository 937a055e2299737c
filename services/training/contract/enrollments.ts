import { flag, id, listQuery, operations, orJob, page, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  bulkEnrollmentLimits,
  Enrollment,
  EnrollmentStatus,
  enrollmentCreated,
  enrollmentUpdated,
  enrollmentWithdrawn,
  LearnerType,
} from './enrollment.ts';
import { completionEvents } from './progress.ts';

const withId = z.object({ id: id('enrollment') });
const DueAt = timestamp().nullish().describe('When the course must be completed');
const ExpiresAt = timestamp().nullish().describe('When the learner loses access; not before `dueAt`');

const enrollErrors = {
  not_published: [409, 'The course is not published'],
  already_enrolled: [409, 'The learner is already enrolled in this course'],
  prerequisites_open: [409, 'The learner has no valid completion of the courses that this one requires'],
} as const;

export const enrollments = operations({
  createEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Enrol a learner in a course',
    description:
      'The course must be published and for this type of learner: `users` for users, `partners` for partners and leads. The learner must have completed the courses that it requires. A completion counts until its certificate expires or is revoked; one without a certificate counts for the `validDays` of its course. Users without `training:manage` do not enrol themselves again after their enrolment expired or was withdrawn.',
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
    checksPermissions: true,
    summary: 'Change the dates of an enrolment',
    description:
      'Only of enrolments that have not ended, and of your own only with the permission `training:manage`. null removes a date. A later end gives their effect to grades that arrived after the former one.',
    params: withId,
    body: z.object({ dueAt: DueAt, expiresAt: ExpiresAt }),
    reply: Enrollment,
    message: 'Enrolment updated',
    emits: [enrollmentUpdated, ...completionEvents],
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
    checksPermissions: true,
    summary: 'Extend an enrolment',
    description:
      'Moves `expiresAt`, of your own enrolment only with the permission `training:manage`. An expired enrolment opens again, with its progress; a due date that has passed is removed from it. Grades that arrived after the end take effect, so the extension may complete the course.',
    params: withId,
    body: z.object({
      expiresAt: timestamp().nullable().describe('When the learner loses access; null for never'),
    }),
    reply: Enrollment,
    example: { status: 'in_progress' },
    message: 'Enrolment extended',
    emits: [enrollmentUpdated, ...completionEvents],
    errors: {
      transition_refused: sharedErrors.transition_refused,
      already_enrolled: enrollErrors.already_enrolled,
      course_deleted: [409, 'The course is deleted; restore it first'],
    },
  },
  restartEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/restart',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Enrol the learner again',
    description:
      'Creates a new enrolment with the next `attemptNo` and without progress. The ended one stays, with its certificate. Users without `training:manage` restart their own enrolment only after they have completed it. The learner must be one who could be enrolled anew: an active user, an approved partner or a lead.',
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
    description: `Up to ${bulkEnrollmentLimits.now} learners are enrolled at once, with one result each; a learner who cannot be enrolled does not stop the others. With more learners, up to ${bulkEnrollmentLimits.job}, the response is 202 and a background job enrols them. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the learners who could not be enrolled. Users without \`training:manage\` do not enrol themselves again after their enrolment expired or was withdrawn: the result of such a caller is the error \`forbidden\`, and a request that needs a job is refused with 403.`,
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
