import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Course } from './course.ts';

/** The most ids that a request of another service has. */
export const completionLimits = { courses: 100, partners: 500 } as const;

const courseIds = z
  .array(id('course'))
  .max(completionLimits.courses, `Must contain at most ${completionLimits.courses} ids`);

/** Courses, and who has completed them, for services that require courses. */
export const internalCompletions = operations({
  findCourses: {
    method: 'POST',
    path: '/internal/training/courses/find',
    audience: 'internal',
    summary: 'Retrieve courses of the tenant by id, with any status',
    body: z.object({ ids: courseIds }),
    reply: z.array(Course.pick({ id: true, title: true, status: true, audience: true })),
    message: 'Courses retrieved',
    emits: [],
  },
  findPartnerCompletions: {
    method: 'POST',
    path: '/internal/training/completions/find',
    audience: 'internal',
    summary: 'Retrieve the completions of partners that are valid now',
    description: 'Returns one completion for each partner and course: the one that is valid longest.',
    body: z.object({
      partnerIds: z
        .array(id('partner'))
        .max(completionLimits.partners, `Must contain at most ${completionLimits.partners} ids`),
      courseIds,
    }),
    reply: z.array(
      z.object({
        partnerId: id('partner'),
        courseId: id('course'),
        completedAt: timestamp().describe('When the partner completed the course'),
        validUntil: timestamp()
          .nullable()
          .meta({ description: 'When the completion ends to be valid; null for never', examples: [null] }),
      }),
    ),
    message: 'Completions retrieved',
    emits: [],
  },
});
