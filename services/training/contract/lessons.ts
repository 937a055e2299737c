import { id, listQuery, name, operations, page } from '@tandem/contract';
import { z } from 'zod';
import {
  Lesson,
  LessonContent,
  LessonDetail,
  LessonSeconds,
  lessonCreated,
  lessonDeleted,
  lessonUpdated,
} from './lesson.ts';
import { LessonType, Release, writableCompletion, writableQuiz } from './lesson-settings.ts';
import { learningErrors } from './progress.ts';
import { questionLimits, writableQuestion } from './questions.ts';

/** Lessons that a course can have. */
export const lessonsMax = 1_000;

// 200 questions with 20 options each.
const bodyMax = 4_000_000;
const ofCourse = z.object({ id: id('course') });
const withId = z.object({ id: id('lesson') });

const questionsOfLesson = z
  .array(
    writableQuestion.extend({
      id: id('question').describe('A question of the lesson that is kept; without it the question is new').optional(),
    }),
  )
  .max(questionLimits.perLesson, `Must have at most ${questionLimits.perLesson} questions`)
  .describe('The questions of a quiz, in their order. They replace all earlier ones.');

const writableLesson = {
  moduleId: id('module').describe('A module of the course').nullish(),
  content: LessonContent.nullish(),
  fileId: id('file').describe('A file that is available').nullish(),
  durationSeconds: LessonSeconds.nullish(),
  completion: writableCompletion
    .describe(
      'By default `quiz` for a quiz, `manual` for an assignment, `package` for SCORM and `view` for other types',
    )
    .nullish(),
  release: Release.optional(),
  quiz: writableQuiz.describe('The settings of a quiz').nullish(),
  questions: questionsOfLesson.optional(),
};

const rules =
  'A link needs an https URL as `content`; a video needs one or a file; a file lesson needs a file; a SCORM lesson needs the file of a zip package with SCORM 1.2 or 2004 and one SCO. HTML is cleaned: scripts, styles, event handlers, frames and forms are removed.';
const structure = 'On a course that is published or archived, the progress of running enrolments follows the change.';
const access = 'Callers without the permission `training:write` need an enrolment of their own in the course.';
const judging =
  'On a course that has been published, only callers with the permission `training:manage` change who passes';
const filePermission = [{ permission: 'files:read', for: 'fileId' }] as const;

export const lessons = operations({
  createLesson: {
    method: 'POST',
    path: '/v1/training/courses/:id/lessons',
    permission: 'training:write',
    also: filePermission,
    feature: 'training',
    checksPermissions: true,
    summary: 'Add a lesson to a course',
    description: `The lesson is added at the end of its module. ${rules} ${structure} ${judging}: they add required quizzes and SCORM lessons.`,
    params: ofCourse,
    body: z.object({
      title: name(200),
      type: LessonType.default('text'),
      required: z.boolean().default(true),
      ...writableLesson,
    }),
    bodyMax,
    // A SCORM package is read as a whole.
    timeoutMs: 60_000,
    reply: LessonDetail,
    status: 201,
    // Questions of a request need no id, those of a response have one.
    example: { questions: [] },
    message: 'Lesson created',
    emits: [lessonCreated],
    errors: { too_many_lessons: [409, `The course has ${lessonsMax} lessons already; delete one first`] },
  },
  listLessons: {
    method: 'GET',
    path: '/v1/training/courses/:id/lessons',
    permission: 'training:read',
    narrows: true,
    summary: 'List the lessons of a course',
    description: `Sorted by \`order\` unless \`sort\` is set. ${access} The content of a locked lesson is null.`,
    params: ofCourse,
    query: listQuery(['createdAt', 'order'], 'order').omit({ search: true }),
    reply: page(Lesson),
    message: 'Lessons retrieved',
    errors: { enrollment_ended: learningErrors.enrollment_ended },
  },
  getLesson: {
    method: 'GET',
    path: '/v1/training/lessons/:id',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve a lesson',
    description: `${access} Answer keys are null without the permission \`training:manage\`.`,
    params: withId,
    reply: LessonDetail,
    message: 'Lesson retrieved',
    errors: learningErrors,
  },
  updateLesson: {
    method: 'PATCH',
    path: '/v1/training/lessons/:id',
    permission: 'training:write',
    also: filePermission,
    feature: 'training',
    checksPermissions: true,
    summary: 'Update a lesson',
    description: `Changes the given fields; objects and arrays are replaced as a whole. Another \`moduleId\` moves the lesson to the end of that module. A new \`type\` resets settings that do not fit it; HTML is removed when the lesson becomes a link or video, and a URL when it becomes another type. A draft may lack the URL of such a lesson until it is published. ${rules} ${structure} ${judging}: the fields \`type\`, \`required\`, \`completion\`, \`quiz\` and \`questions\`, and the file of a SCORM lesson.`,
    params: withId,
    body: z.object({
      title: name(200).optional(),
      type: LessonType.optional(),
      required: z.boolean().optional(),
      ...writableLesson,
    }),
    bodyMax,
    // A SCORM package is read as a whole.
    timeoutMs: 60_000,
    reply: LessonDetail,
    // Questions of a request need no id, those of a response have one.
    example: { questions: [] },
    message: 'Lesson updated',
    emits: [lessonUpdated],
    errors: {
      lesson_changed: [409, 'The lesson was changed at the same time; try again'],
    },
  },
  deleteLesson: {
    method: 'DELETE',
    path: '/v1/training/lessons/:id',
    permission: 'training:delete',
    checksPermissions: true,
    summary: 'Delete a lesson',
    description: `Progress and attempts of learners are kept; open attempts end without a grade. ${structure} ${judging}: they delete required lessons.`,
    params: withId,
    reply: z.object({ id: id('lesson'), deleted: z.literal(true).describe('Always true') }),
    message: 'Lesson deleted',
    emits: [lessonDeleted],
    errors: {
      lesson_needed: [409, 'Another lesson opens after this one; change its release first'],
      last_lesson: [409, 'A course that was published needs a lesson; add another lesson first'],
    },
  },
});
