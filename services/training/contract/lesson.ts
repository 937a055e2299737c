import { event, id, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Completion, LessonType, lessonLimits, Quiz, Release } from './lesson-settings.ts';
import { Question } from './questions.ts';
import { ScormSummary } from './scorm-package.ts';

const secondsError = 'Must be a whole number of seconds from 0 to 604800';

export const LessonSeconds = z
  .int({ error: secondsError })
  .min(0, secondsError)
  .max(86_400 * 7, secondsError)
  .meta({ description: 'The duration of the lesson in seconds, at most seven days', examples: [600] });

export const LessonContent = text(lessonLimits.contentChars).meta({
  description:
    'The material: HTML for a text, the https URL for a link or a video, the instructions in HTML for a quiz, assignment or file',
  examples: ['<p>Ask what they use today.</p>'],
});

export const Lesson = z.object({
  id: id('lesson'),
  courseId: id('course'),
  moduleId: id('module').nullable().describe('The module of the lesson; null if it belongs to none'),
  title: name(200).meta({ examples: ['The first call'] }),
  type: LessonType.meta({ examples: ['text'] }),
  content: LessonContent.nullable(),
  fileId: id('file').nullable().describe('The file of the lesson'),
  durationSeconds: LessonSeconds.nullable(),
  required: z.boolean().describe('Whether the lesson must be taken to complete the course'),
  order: z.int().meta({ description: 'The position in the course, from 0', examples: [0] }),
  completion: Completion.describe('How the lesson is completed'),
  release: Release,
  quiz: Quiz.nullable().describe('The settings of a quiz; null for other types'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A lesson without its material, as courses and events contain it. */
export const LessonSummary = Lesson.omit({ content: true });

/** A lesson with everything that a learner or an author needs to show it. */
export const LessonDetail = Lesson.extend({
  fileUrl: z
    .url()
    .nullable()
    .meta({
      description:
        'A download link for the file, which works for 15 minutes; null without a file, or if the file is no longer available',
      examples: [null],
    }),
  scorm: ScormSummary.nullable().meta({
    description: 'The SCORM package of the lesson; null for other types',
    examples: [null],
  }),
  questions: z
    .array(Question)
    .describe(
      'The questions of a quiz, with the permission `training:write`; empty for other types and callers. Learners get them, and those drawn from banks, in attempts.',
    ),
});

const change = {
  target: 'lesson',
  data: z.object({ lessonId: id('lesson'), courseId: id('course') }),
  record: LessonSummary,
  // Events of the release before lacked these fields.
  whenMissing: {
    record: {
      completion: { rule: 'view', minSeconds: null, passScore: null, maxAttempts: null },
      release: { type: 'immediate' },
    },
  },
} as const;

export const lessonCreated = event('training.lesson.created', {
  ...change,
  description: 'A lesson is added to a course',
  action: 'lesson.create',
});
export const lessonUpdated = event('training.lesson.updated', {
  ...change,
  description: 'A lesson changes',
  action: 'lesson.update',
});
export const lessonDeleted = event('training.lesson.deleted', {
  ...change,
  description: 'A lesson is deleted',
  action: 'lesson.delete',
});
