import { event, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { LessonSummary } from './lesson.ts';
import { Module } from './module.ts';

export const courseStatuses = ['draft', 'published', 'archived'] as const;
export const audiences = ['users', 'partners', 'both'] as const;

/** Days in which a deleted course can be restored. */
export const restorableCourseDays = 30;
/** Prerequisites that a course can have. */
export const prerequisitesMax = 20;

export const CourseStatus = z.enum(courseStatuses).describe('Whether the course is a draft, published or archived');
export const CourseAudience = z
  .enum(audiences)
  .describe('The audience of the course: users, partners or both. Leads can be enrolled in courses for both.');
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
    published: { archived: 'archiveCourse', draft: 'unpublishCourse' },
    archived: { published: 'publishCourse' },
  },
});

const certificateFields = {
  title: name(200).meta({ description: 'The heading of the certificate', examples: ['Certified seller'] }),
  text: text(2_000).meta({
    description: 'The text below the name of the learner',
    examples: ['has completed the course and passed its quizzes.'],
  }),
  signatory: name(200).meta({ description: 'Who signs the certificate', examples: ['Ada Lovelace'] }),
  signatoryTitle: name(200).meta({ description: 'The position of the signatory', examples: ['Head of Sales'] }),
};

/** The texts of the certificate that a completion gives. */
export const CertificateTexts = z.object({
  title: certificateFields.title,
  text: certificateFields.text.nullable(),
  signatory: certificateFields.signatory.nullable(),
  signatoryTitle: certificateFields.signatoryTitle.nullable(),
});

const writableCertificate = z.object({
  title: certificateFields.title,
  // As much as fits the document; earlier releases accepted more.
  text: text(500)
    .meta({
      description: 'The text below the name of the learner',
      examples: ['has completed the course and passed its quizzes.'],
    })
    .nullish(),
  signatory: certificateFields.signatory.nullish(),
  signatoryTitle: certificateFields.signatoryTitle.nullish(),
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
    description:
      'The minimum average score of the required quizzes and assignments, from 0 to 100; null if there is none',
    examples: [80],
  }),
  sequential: z.boolean().meta({ description: 'Whether lessons must be taken in order', examples: [false] }),
  notifyLearners: z.boolean().meta({
    description:
      'Whether learners are told about enrolments by others, due dates, the end of their access, and certificates: users by a notification, partners by mail, leads by mail about certificates only. Webhooks are sent in any case',
    examples: [true],
  }),
  prerequisiteCourseIds: z
    .array(id('course'))
    .describe('Courses of which a learner must have a valid completion before the enrolment in this one'),
  validDays: Days.nullable().meta({
    description:
      'The number of days that a completion is valid, with or without a certificate: after that it does not count for courses that require this one; null if it does not expire. A certificate keeps the end that it was issued with',
    examples: [365],
  }),
  certificate: CertificateTexts.nullable().describe(
    'The texts of the certificate that a completion gives; null if it gives none',
  ),
  contentVersion: z.int().meta({
    description:
      'Increases with each change of a course that is published or archived which decides about the lessons to take and how they are passed: lessons that are added, deleted, moved or reordered, their `type`, `required`, `completion`, `release`, `quiz` and questions, and `sequential` and `passScore` of the course. Titles, material, durations and the questions of banks do not count',
    examples: [1],
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
  deletedAt: timestamp()
    .nullable()
    .meta({ description: 'When the course was deleted', examples: [null] }),
});

const nestedLessons = z.array(LessonSummary);

/** A course with its modules and lessons, without their material. */
export const CourseDetail = Course.extend({
  lessons: nestedLessons.describe('The lessons without a module, which come first'),
  modules: z
    .array(Module.extend({ lessons: nestedLessons.describe('The lessons of the module, in their order') }))
    .describe('The modules in their order, each with its lessons'),
});

/** The settings of a course that clients send. */
export const writableCourse = {
  description: text(5_000).nullish(),
  category: text(100).nullish(),
  estimatedMinutes: Minutes.nullish(),
  passScore: PassScore.nullish(),
  prerequisiteCourseIds: z
    .array(id('course'))
    .max(prerequisitesMax, `Must have at most ${prerequisitesMax} courses`)
    .overwrite((ids) => [...new Set(ids)])
    .optional(),
  validDays: Days.nullish(),
  certificate: writableCertificate.nullish(),
};

const change = {
  target: 'course',
  data: z.object({ courseId: id('course') }),
  record: Course,
  // Events of the release before lacked these fields.
  whenMissing: { record: { prerequisiteCourseIds: [] as string[], contentVersion: 1, notifyLearners: true } },
} as const;
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
export const courseUpdated = event('training.course.updated', {
  ...change,
  description: 'A course changes',
  action: 'course.update',
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
export const courseUnpublished = event('training.course.unpublished', {
  ...change,
  description: 'A published course becomes a draft again',
  action: 'course.unpublish',
});
export const courseDeleted = event('training.course.deleted', {
  ...change,
  description: 'A course is deleted',
  action: 'course.delete',
});
export const courseRestored = event('training.course.restored', {
  ...change,
  description: 'A deleted course is restored',
  action: 'course.restore',
});
