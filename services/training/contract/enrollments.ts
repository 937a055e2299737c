import { event, id, listQuery, operations, page, sharedErrors, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const enrollmentStatuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export const EnrollmentStatus = z.enum(enrollmentStatuses).describe('The status of the enrolment');

export const Enrollment = z.object({
  id: id('enrollment'),
  courseId: id('course'),
  learnerId: id('user').describe('The user who takes the course'),
  status: EnrollmentStatus,
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the course must be completed', examples: ['2026-06-30T00:00:00.000Z'] }),
  enrolledAt: timestamp().describe('When the learner was enrolled'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  group: 'training',
  readPermission: 'training:read',
  target: 'enrollment',
  data: z.object({ enrollmentId: id('enrollment'), courseId: id('course'), learnerId: id('user') }),
  record: Enrollment,
  example: { enrollmentId: 'K164dVTlqa3OcG9l', courseId: 'r3mQ2aihbZeOiI80', learnerId: 'a3HT7XOrDKJZ9JtB' },
} as const;

export const enrollmentCreated = event('training.enrollment.created', {
  ...change,
  description: 'A user is enrolled in a course',
  action: 'enrollment.create',
});
export const enrollmentWithdrawn = event('training.enrollment.withdrawn', {
  ...change,
  description: 'A user is withdrawn from a course',
  action: 'enrollment.withdraw',
});

export const enrollments = operations({
  createEnrollment: {
    method: 'POST',
    path: '/v1/training/enrollments',
    permission: 'training:write',
    feature: 'training',
    summary: 'Enrol a user in a course',
    description: 'The course must be published.',
    body: z.object({ courseId: id('course'), learnerId: id('user'), dueAt: timestamp().nullish() }),
    reply: Enrollment,
    status: 201,
    message: 'Enrolment created',
    emits: [enrollmentCreated],
    errors: {
      not_published: [409, 'The course is not published'],
      already_enrolled: [409, 'The user is already enrolled in this course'],
    },
  },
  listEnrollments: {
    method: 'GET',
    path: '/v1/training/enrollments',
    permission: 'training:read',
    summary: 'List enrolments',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        courseId: id('course').optional(),
        learnerId: id('user').optional(),
        status: EnrollmentStatus.optional(),
      }),
    reply: page(Enrollment),
    message: 'Enrolments retrieved',
  },
  withdrawEnrollment: {
    method: 'DELETE',
    path: '/v1/training/enrollments/:id',
    permission: 'training:delete',
    summary: 'Withdraw a user from a course',
    description: 'Sets the status of the enrolment to `withdrawn`.',
    params: z.object({ id: id('enrollment') }),
    reply: Enrollment,
    example: { status: 'withdrawn' },
    message: 'Enrolment withdrawn',
    emits: [enrollmentWithdrawn],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
});
