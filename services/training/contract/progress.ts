import { event, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { certificateIssued } from './certificates.ts';
import { EnrollmentStatus, enrollmentStarted, LearnerType } from './enrollment.ts';
import { LessonType } from './lesson-settings.ts';

export const lessonStates = ['locked', 'open', 'in_progress', 'completed'] as const;
export const LessonState = z
  .enum(lessonStates)
  .describe('Whether the lesson is locked, open, in progress or completed');

/** The longest time that one report of progress can add, in seconds. */
export const reportSecondsMax = 3_600;

const Seconds = z
  .int()
  .meta({ description: 'The time that the learner spent in the lesson, in seconds', examples: [120] });
const LessonPercent = z
  .number()
  .meta({ description: 'The part of the lesson that the learner has seen, from 0 to 100', examples: [40] });
const Position = z
  .number()
  .meta({ description: 'Where the learner stopped, such as the second of a video', examples: [95.5] });

/** The progress of an enrolment in one lesson. */
export const LessonProgress = z.object({
  enrollmentId: id('enrollment'),
  lessonId: id('lesson'),
  status: LessonState.meta({ examples: ['in_progress'] }),
  percent: LessonPercent,
  position: Position,
  secondsSpent: Seconds,
  score: z
    .number()
    .nullable()
    .meta({ description: 'The best score of the attempts', examples: [null] }),
  startedAt: timestamp().nullable().describe('When the learner opened the lesson'),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the lesson was completed', examples: [null] }),
  enrollment: z
    .object({
      status: EnrollmentStatus.meta({ examples: ['in_progress'] }),
      percent: z.number().meta({ description: 'The completed part of the required lessons', examples: [50] }),
      score: z
        .number()
        .nullable()
        .meta({ description: 'The score of the course', examples: [null] }),
      completedAt: timestamp()
        .nullable()
        .meta({ description: 'When the course was completed', examples: [null] }),
      certificateId: id('certificate').nullable().describe('The certificate of the completion'),
    })
    .describe('The enrolment after the request'),
});

const LessonOutline = z.object({
  lessonId: id('lesson'),
  moduleId: id('module').nullable(),
  title: z.string().meta({ description: 'The title of the lesson', examples: ['The first call'] }),
  type: LessonType.meta({ examples: ['text'] }),
  required: z.boolean().describe('Whether the lesson must be completed'),
  order: z.int().meta({ description: 'The position in the course, from 0', examples: [0] }),
  status: LessonState.meta({ examples: ['open'] }),
  lockedReason: z
    .string()
    .nullable()
    .meta({ description: 'Why the lesson is locked, and what opens it; null otherwise', examples: [null] }),
  opensAt: timestamp()
    .nullable()
    .meta({ description: 'When a locked lesson opens, if that is known', examples: [null] }),
  percent: LessonPercent,
  position: Position,
  secondsSpent: Seconds,
  score: z
    .number()
    .nullable()
    .meta({ description: 'The best score of the attempts', examples: [null] }),
  attempts: z.int().meta({ description: 'The number of attempts', examples: [0] }),
  canRetry: z
    .boolean()
    .meta({ description: 'Whether another attempt at the quiz or assignment is possible', examples: [false] }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the lesson was completed', examples: [null] }),
});

/** The progress of an enrolment in all lessons. */
export const EnrollmentProgress = z.object({
  enrollmentId: id('enrollment'),
  courseId: id('course'),
  status: EnrollmentStatus.meta({ examples: ['in_progress'] }),
  percent: z.number().meta({ description: 'The completed part of the required lessons', examples: [50] }),
  score: z
    .number()
    .nullable()
    .meta({ description: 'The score of the course', examples: [null] }),
  passScore: z
    .number()
    .nullable()
    .meta({ description: 'The score that completes the course', examples: [null] }),
  secondsSpent: z
    .int()
    .meta({ description: 'The time that the learner spent in lessons, in seconds', examples: [600] }),
  nextLessonId: id('lesson')
    .nullable()
    .describe(
      'The first open lesson that is not completed, required ones first; when all are completed and the score is too low, the first one that can be repeated',
    ),
  blockedReason: z
    .string()
    .nullable()
    .meta({
      description: 'Why the learner cannot complete the course any more, and what helps; null while it is possible',
      examples: [null],
    }),
  lessons: z.array(LessonOutline).describe('The lessons in their order'),
});

export const lessonCompleted = event('training.lesson.completed', {
  description: 'A learner completes a lesson',
  action: 'lesson.complete',
  target: 'enrollment',
  data: z.object({
    courseId: id('course'),
    lessonId: id('lesson'),
    enrollmentId: id('enrollment'),
    learnerType: LearnerType,
    learnerId: id('learner'),
  }),
  record: z.object({ id: id('enrollment') }),
});

/** An enrolment as the event of its completion has it. */
export const courseCompleted = event('training.course.completed', {
  group: 'training',
  readPermission: 'training:read',
  description: 'A learner completes a course',
  action: 'course.complete',
  target: 'enrollment',
  data: z.object({
    courseId: id('course'),
    enrollmentId: id('enrollment'),
    learnerType: LearnerType,
    learnerId: id('learner'),
    score: z.number().nullable().describe('The average score of quizzes and assignments; null if there are none'),
    completedAt: timestamp().describe('When the learner completed the course'),
    certificateId: id('certificate').nullable(),
  }),
  record: z.object({ id: id('enrollment') }),
  example: {
    courseId: 'r3mQ2aihbZeOiI80',
    enrollmentId: 'K164dVTlqa3OcG9l',
    learnerType: 'user',
    learnerId: 'a3HT7XOrDKJZ9JtB',
    score: 92.5,
    completedAt: '2026-06-01T08:00:00.000Z',
    certificateId: null,
  },
});

/** The events that the completion of a lesson can cause: the last one completes the course. */
export const completionEvents = [lessonCompleted, courseCompleted, certificateIssued] as const;

export const lessonOfEnrollment = z.object({ id: id('enrollment'), lessonId: id('lesson') });

const reportError = 'Must be a number of seconds from 0 to 86400';
export const progressReport = z.object({
  position: z
    .number({ error: 'Must be a number from 0 to 1000000' })
    .min(0, 'Must be a number from 0 to 1000000')
    .max(1_000_000, 'Must be a number from 0 to 1000000')
    .meta({ description: 'Where the learner is, such as the second of a video', examples: [95.5] })
    .optional(),
  secondsSpent: z
    .number({ error: reportError })
    .min(0, reportError)
    .max(86_400, reportError)
    .meta({
      description: `The time since the last report. At most the time that has passed since then counts, and at most ${reportSecondsMax}; the first report opens the lesson and counts none`,
      examples: [15],
    })
    .default(0),
  percent: z
    .number({ error: 'Must be a number from 0 to 100' })
    .min(0, 'Must be a number from 0 to 100')
    .max(100, 'Must be a number from 0 to 100')
    .meta({
      description: 'The part of the lesson that the learner has seen; a smaller one than before has no effect',
      examples: [40],
    })
    .optional(),
});

export const learningErrors = {
  lesson_locked: [409, 'The lesson is locked'],
  enrollment_ended: [409, 'The enrolment has ended'],
} as const;

export const progress = operations({
  getEnrollmentProgress: {
    method: 'GET',
    path: '/v1/training/enrollments/:id/progress',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve the progress of an enrolment',
    params: z.object({ id: id('enrollment') }),
    reply: EnrollmentProgress,
    message: 'Progress retrieved',
  },
  recordProgress: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/lessons/:lessonId/progress',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Report progress in a lesson',
    description:
      'For the learner, and for callers with the permission `training:manage`. Progress never goes back. The first report starts the course.',
    params: lessonOfEnrollment,
    body: progressReport,
    reply: LessonProgress,
    message: 'Progress recorded',
    emits: [enrollmentStarted],
    errors: learningErrors,
  },
  completeLesson: {
    method: 'POST',
    path: '/v1/training/enrollments/:id/lessons/:lessonId/complete',
    permission: 'training:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Complete a lesson',
    description:
      'For the learner, and for callers with the permission `training:manage`. The rule of the lesson must be met; callers with `training:manage` may complete lessons of others with the rule `manual` or `quiz`. The last required lesson completes the course. Repeating the request changes nothing.',
    params: lessonOfEnrollment,
    reply: LessonProgress,
    example: { status: 'completed', percent: 100 },
    message: 'Lesson completed',
    emits: [enrollmentStarted, ...completionEvents],
    errors: learningErrors,
  },
});
