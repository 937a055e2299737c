import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const lessonTypes = ['video', 'text', 'file', 'link'] as const;
const LessonType = z.enum(lessonTypes, { error: `Must be one of ${lessonTypes.join(', ')}` });
const secondsError = 'Must be a whole number of seconds';
const Seconds = z
  .int({ error: secondsError })
  .min(0, secondsError)
  .max(86_400 * 7, secondsError);

export const Lesson = z.object({
  id: id('lesson'),
  courseId: id('course'),
  /** The part of the course that it belongs to. */
  module: text(100),
  title: name(200),
  type: LessonType,
  content: text(50_000).nullable(),
  durationSeconds: Seconds.nullable(),
  /** Whether the course is complete without it. */
  required: z.boolean(),
  /** Its place in the course, from 0 on. */
  order: z.int(),
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
    summary: 'Add a lesson to a course',
    description: 'It comes last. The modules of a course are those that its lessons name.',
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
    params: ofCourse,
    query: listQuery(['createdAt', 'order'], 'order').omit({ search: true }),
    reply: page(Lesson),
    message: 'Lessons retrieved',
  },
});
