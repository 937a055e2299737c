import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const courseStatuses = ['draft', 'published', 'archived'] as const;
export const audiences = ['users', 'partners', 'both'] as const;

export const CourseStatus = z
  .enum(courseStatuses, { error: `Must be one of ${courseStatuses.join(', ')}` })
  .describe('Whether the course is drafted, published or archived');
export const CourseAudience = z
  .enum(audiences, { error: `Must be one of ${audiences.join(', ')}` })
  .describe('Who can be enrolled');
const passScoreError = 'Must be a number from 0 to 100';
const PassScore = z.number({ error: passScoreError }).min(0, passScoreError).max(100, passScoreError);
const minutesError = 'Must be a whole number from 1 to 100000';
const Minutes = z.int({ error: minutesError }).min(1, minutesError).max(100_000, minutesError);
const daysError = 'Must be a whole number from 1 to 3650';
const Days = z.int({ error: daysError }).min(1, daysError).max(3_650, daysError);

export const Course = z.object({
  id: id('course'),
  title: name(200).meta({ examples: ['Selling to engineers'] }),
  description: text(5_000)
    .nullable()
    .meta({ examples: ['From the first question to the signed order'] }),
  category: text(100)
    .nullable()
    .meta({ description: 'A category of your own', examples: ['Sales'] }),
  status: CourseStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z
    .array(CourseStatus)
    .meta({ description: 'The statuses that this course can change to now', examples: [['published', 'archived']] }),
  audience: CourseAudience.meta({ examples: ['both'] }),
  estimatedMinutes: Minutes.nullable().meta({ description: 'How long the course takes, in minutes', examples: [90] }),
  passScore: PassScore.nullable().meta({
    description: 'The score needed to pass, from 0 to 100; null if none is needed',
    examples: [80],
  }),
  sequential: z.boolean().meta({ description: 'Whether lessons must be taken in their order', examples: [false] }),
  validDays: Days.nullable().meta({
    description: 'For how many days a completion is valid; null for ever',
    examples: [365],
  }),
  modulesCount: z.int().meta({ description: 'The number of modules', examples: [0] }),
  lessonsCount: z.int().meta({ description: 'The number of lessons', examples: [0] }),
  enrollmentCount: z.int().meta({ description: 'The number of enrolments that were not withdrawn', examples: [0] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  publishedAt: timestamp()
    .nullable()
    .meta({ description: 'When the course was published last', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('course') });
const change = { target: 'course', data: z.object({ courseId: id('course') }), record: Course } as const;
const shown = {
  group: 'training',
  readPermission: 'training:read',
  example: { courseId: 'r3mQ2aihbZeOiI80' },
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
    description: 'The course is a draft until it is published.',
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
    description: '`search` covers the title.',
    query: listQuery(['createdAt', 'title']).extend({
      status: CourseStatus.optional(),
      category: text(100)
        .meta({ examples: ['Sales'] })
        .optional(),
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
    description: 'Publishes a draft or an archived course. The course needs at least one lesson.',
    params: withId,
    reply: Course,
    example: { status: 'published', allowedTransitions: ['archived'], publishedAt: '2026-03-04T16:40:00.000Z' },
    message: 'Course published',
    emits: [coursePublished],
    errors: refused,
  },
  archiveCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/archive',
    permission: 'training:write',
    summary: 'Archive a course',
    description: 'Archives a draft or a published course. Learners can finish it; nobody can be enrolled any more.',
    params: withId,
    reply: Course,
    example: { status: 'archived', allowedTransitions: ['published'] },
    message: 'Course archived',
    emits: [courseArchived],
    errors: refused,
  },
});
