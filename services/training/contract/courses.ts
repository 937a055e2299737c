import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const courseStatuses = ['draft', 'published', 'archived'] as const;
export const audiences = ['users', 'partners', 'both'] as const;

const CourseStatus = z.enum(courseStatuses, { error: `Must be one of ${courseStatuses.join(', ')}` });
const CourseAudience = z.enum(audiences, { error: `Must be one of ${audiences.join(', ')}` });
const passScoreError = 'Must be a number from 0 to 100';
const PassScore = z.number({ error: passScoreError }).min(0, passScoreError).max(100, passScoreError);
const minutesError = 'Must be a whole number from 1 to 100000';
const Minutes = z.int({ error: minutesError }).min(1, minutesError).max(100_000, minutesError);
const daysError = 'Must be a whole number from 1 to 3650';
const Days = z.int({ error: daysError }).min(1, daysError).max(3_650, daysError);

export const Course = z.object({
  id: id('course'),
  title: name(200),
  description: text(5_000).nullable(),
  category: text(100).nullable(),
  status: CourseStatus,
  /** The statuses that this course may move to now. */
  allowedTransitions: z.array(CourseStatus),
  /** Who may be enrolled. */
  audience: CourseAudience,
  estimatedMinutes: Minutes.nullable(),
  passScore: PassScore.nullable(),
  /** Whether lessons are to be taken in their order. */
  sequential: z.boolean(),
  /** For how many days a completion counts; null for ever. */
  validDays: Days.nullable(),
  modulesCount: z.int(),
  lessonsCount: z.int(),
  /** Enrolments that are not withdrawn. */
  enrollmentCount: z.int(),
  createdBy: id('user').nullable(),
  publishedAt: timestamp().nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('course') });
const change = { target: 'course', data: z.object({ courseId: id('course') }), record: Course } as const;
const shown = {
  group: 'training',
  readPermission: 'training:read',
  example: { courseId: 'Cr7mT2kQw9XsLpZa' },
} as const;

export const courseCreated = event('training.course.created', {
  ...change,
  description: 'A course is drafted',
  action: 'course.create',
});
export const coursePublished = event('training.course.published', {
  ...change,
  ...shown,
  description: 'A course is published',
  action: 'course.publish',
});
export const courseArchived = event('training.course.archived', {
  ...change,
  ...shown,
  description: 'A course is archived',
  action: 'course.archive',
});

const refused = { transition_refused: [409, 'The course cannot move to this status'] } as const;

export const courses = operations({
  createCourse: {
    method: 'POST',
    path: '/v1/training/courses',
    permission: 'training:write',
    summary: 'Create a course',
    description: 'It is a draft until it is published.',
    body: z.object({
      title: name(200),
      description: text(5_000).nullish(),
      category: text(100).nullish(),
      audience: CourseAudience.default('both'),
      estimatedMinutes: Minutes.nullish(),
      passScore: PassScore.nullish(),
      sequential: z.boolean().default(false),
      validDays: Days.nullish(),
    }),
    reply: Course,
    status: 201,
    message: 'Course created',
    emits: [courseCreated],
  },
  listCourses: {
    method: 'GET',
    path: '/v1/training/courses',
    permission: 'training:read',
    summary: 'List courses',
    description: '`search` looks into the title.',
    query: listQuery(['createdAt', 'title']).extend({
      status: CourseStatus.optional(),
      category: text(100).optional(),
    }),
    reply: page(Course),
    message: 'Courses retrieved',
  },
  getCourse: {
    method: 'GET',
    path: '/v1/training/courses/:id',
    permission: 'training:read',
    summary: 'Retrieve a course',
    params: withId,
    reply: Course,
    message: 'Course retrieved',
  },
  publishCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/publish',
    permission: 'training:write',
    summary: 'Publish a course',
    description: 'draft or archived → published. It needs a lesson.',
    params: withId,
    reply: Course,
    message: 'Course published',
    emits: [coursePublished],
    errors: refused,
  },
  archiveCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/archive',
    permission: 'training:write',
    summary: 'Archive a course',
    description: 'draft or published → archived. Who takes it goes on; nobody is enrolled any more.',
    params: withId,
    reply: Course,
    message: 'Course archived',
    emits: [courseArchived],
    errors: refused,
  },
});
