import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { LessonType } from './lesson-settings.ts';

const secondsError = 'Must be a whole number of seconds from 0 to 604800';
const Seconds = z
  .int({ error: secondsError })
  .min(0, secondsError)
  .max(86_400 * 7, secondsError);

export const Lesson = z.object({
  id: id('lesson'),
  courseId: id('course'),
  module: text(100).meta({ description: 'The module of the course that the lesson belongs to', examples: ['Basics'] }),
  title: name(200).meta({ examples: ['The first call'] }),
  type: LessonType.meta({ examples: ['text'] }),
  content: text(50_000)
    .nullable()
    .meta({
      description: 'The text of the lesson, or the URL of its material',
      examples: ['Ask what they use today.'],
    }),
  durationSeconds: Seconds.nullable().meta({
    description: 'The duration of the lesson in seconds, at most seven days',
    examples: [600],
  }),
  required: z.boolean().describe('Whether the lesson must be taken to complete the course'),
  order: z.int().meta({ description: 'The position in the course, from 0', examples: [0] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const lessonCreated = event('training.lesson.created', {
  description: 'A lesson is added to a course',
  action: 'lesson.create',
  target: 'lesson',
  data: z.object({ lessonId: id('lesson'), courseId: id('course') }),
  record: Lesson,
});

const ofCourse = z.object({ id: id('course') });

export const lessons = operations({
  createLesson: {
    method: 'POST',
    path: '/v1/training/courses/:id/lessons',
    permission: 'training:write',
    feature: 'training',
    summary: 'Add a lesson to a course',
    description:
      'The lesson is added at the end of the course. The modules of a course are the modules of its lessons.',
    params: ofCourse,
    body: z.object({
      title: name(200),
      module: name(100).default('General'),
      type: LessonType.default('text'),
      content: text(50_000).nullish(),
      durationSeconds: Seconds.nullish(),
      required: z.boolean().default(true),
    }),
    reply: Lesson,
    status: 201,
    message: 'Lesson created',
    emits: [lessonCreated],
  },
  listLessons: {
    method: 'GET',
    path: '/v1/training/courses/:id/lessons',
    permission: 'training:read',
    summary: 'List the lessons of a course',
    description: 'Sorted by `order` unless `sort` is set.',
    params: ofCourse,
    query: listQuery(['createdAt', 'order'], 'order').omit({ search: true }),
    reply: page(Lesson),
    message: 'Lessons retrieved',
  },
});
