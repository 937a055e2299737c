import {
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const courseStatuses = ['draft', 'published', 'archived'] as const;
export const audiences = ['users', 'partners', 'both'] as const;

export const CourseStatus = z.enum(courseStatuses).describe('Whether the course is a draft, published or archived');
export const CourseAudience = z.enum(audiences).describe('The audience of the course: users, partners or both');
const passScoreError = 'Must be a number from 0 to 100';
const PassScore = z.number({ error: passScoreError }).min(0, passScoreError).max(100, passScoreError);
const minutesError = 'Must be a whole number from 1 to 100000';
const Minutes = z.int({ error: minutesError }).min(1, minutesError).max(100_000, minutesError);
const daysError = 'Must be a whole number from 1 to 3650';
const Days = z.int({ error: daysError }).min(1, daysError).max(3_650, daysError);

export const courseStates = stateTable<(typeof courseStatuses)[number]>('Course', {
  created: { draft: 'createCourse' },
  changes: {
    draft: { published: 'publishCourse', archived: 'archiveCourse' },
    published: { archived: 'archiveCourse' },
    archived: { published: 'publishCourse' },
  },
});

export const Course = z.object({
  id: id('course'),
  title: name(200).meta({ examples: ['Selling to engineers'] }),
  description: text(5_000)
    .nullable()
    .meta({ examples: ['Sales from the first call to the order'] }),
  category: text(100)
    .nullable()
    .meta({ description: 'A custom category', examples: ['Sales'] }),
  status: CourseStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z.array(CourseStatus).meta({
    description: 'The statuses that this course can currently change to',
    examples: [['published', 'archived']],
  }),
  audience: CourseAudience.meta({ examples: ['both'] }),
  estimatedMinutes: Minutes.nullable().meta({
    description: 'The estimated duration of the course, in minutes',
    examples: [90],
  }),
  passScore: PassScore.nullable().meta({
    description: 'The minimum score to pass, from 0 to 100; null if there is none',
    examples: [80],
  }),
  sequential: z.boolean().meta({ description: 'Whether lessons must be taken in order', examples: [false] }),
  validDays: Days.nullable().meta({
    description: 'The number of days that a completion is valid; null if it does not expire',
    examples: [365],
  }),
  modulesCount: z.int().meta({ description: 'The number of modules', examples: [0] }),
  lessonsCount: z.int().meta({ description: 'The number of lessons', examples: [0] }),
  enrollmentCount: z.int().meta({ description: 'The number of enrolments that were not withdrawn', examples: [0] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  publishedAt: timestamp()
    .nullable()
    .meta({ description: 'When the course was last published', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('course') });
const change = { target: 'course', data: z.object({ courseId: id('course') }), record: Course } as const;
// Only these events are in the webhook catalogue.
const inCatalogue = {
  group: 'training',
  readPermission: 'training:read',
  example: { courseId: 'r3mQ2aihbZeOiI80' },
} as const;

export const courseCreated = event('training.course.created', {
  ...change,
  description: 'A course is created',
  action: 'course.create',
});
export const coursePublished = event('training.course.published', {
  ...change,
  ...inCatalogue,
  description: 'A course is published',
  action: 'course.publish',
});
export const courseArchived = event('training.course.archived', {
  ...change,
  ...inCatalogue,
  description: 'A course is archived',
  action: 'course.archive',
});

const transitionErrors = { transition_refused: sharedErrors.transition_refused };

export const courses = operations({
  createCourse: {
    method: 'POST',
    path: '/v1/training/courses',
    permission: 'training:write',
    feature: 'training',
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
    feature: 'training',
    summary: 'Publish a course',
    description: 'Publishes a draft or an archived course. The course needs at least one lesson.',
    params: withId,
    reply: Course,
    example: { status: 'published', allowedTransitions: ['archived'], publishedAt: '2026-03-04T16:40:00.000Z' },
    message: 'Course published',
    emits: [coursePublished],
    errors: transitionErrors,
  },
  archiveCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/archive',
    permission: 'training:write',
    summary: 'Archive a course',
    description:
      'Archives a draft or a published course. Enrolled learners can finish it; new enrolments are rejected.',
    params: withId,
    reply: Course,
    example: { status: 'archived', allowedTransitions: ['published'] },
    message: 'Course archived',
    emits: [courseArchived],
    errors: transitionErrors,
  },
});
