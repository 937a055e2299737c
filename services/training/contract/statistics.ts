import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Certificate } from './certificates.ts';
import { EnrollmentStatus, LearnerType } from './enrollment.ts';
import { LessonType } from './lesson-settings.ts';

const count = (description: string) => z.int().meta({ description, examples: [12] });
const rate = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description, examples: [25] });

const QuestionStatistics = z.object({
  questionId: id('question'),
  answered: count('How often the question was answered'),
  correctRate: rate('The part of correct answers in percent; null without answers'),
  options: z
    .array(
      z.object({
        key: z.string().meta({ description: 'The key of the option', examples: ['a'] }),
        count: count('How often the option was chosen'),
      }),
    )
    .describe('How often each option was chosen; empty without `training:manage`, because it tells the right one'),
});

export const CourseStatistics = z.object({
  courseId: id('course'),
  enrolled: count('The number of enrolments'),
  started: count('The number of enrolments that were started'),
  completed: count('The number of completed enrolments'),
  withdrawn: count('The number of withdrawn enrolments'),
  expired: count('The number of expired enrolments'),
  overdue: count('The number of running enrolments whose due date has passed'),
  averagePercent: rate('The average percentage of the enrolments; null without any'),
  medianDays: rate('The median of the days from enrolment to completion, rounded down; null without completions'),
  averageScore: rate('The average score of completed enrolments; null without scores'),
  lessons: z
    .array(
      z.object({
        lessonId: id('lesson'),
        title: z.string().meta({ description: 'The title of the lesson', examples: ['The first call'] }),
        type: LessonType.meta({ examples: ['text'] }),
        started: count('How many learners opened the lesson'),
        completed: count('How many learners completed the lesson'),
        dropOffRate: rate('The part of learners who opened the lesson and did not complete it, in percent'),
        attempts: count('The number of graded attempts'),
        failRate: rate('The part of graded attempts below the pass mark, in percent'),
        averageSeconds: rate('The average time until the lesson was completed, in seconds'),
        questions: z.array(QuestionStatistics).describe('The questions of a quiz that were answered'),
      }),
    )
    .describe('The lessons in their order'),
});

const TranscriptEntry = z.object({
  enrollmentId: id('enrollment'),
  courseId: id('course'),
  courseTitle: z.string().meta({ description: 'The title of the course', examples: ['Selling to engineers'] }),
  status: EnrollmentStatus.meta({ examples: ['completed'] }),
  attemptNo: z.int().meta({ description: 'How often the learner has taken the course', examples: [1] }),
  percent: z.number().meta({ description: 'The completed part of the required lessons', examples: [100] }),
  score: z
    .number()
    .nullable()
    .meta({ description: 'The score of the course', examples: [92.5] }),
  secondsSpent: z.int().meta({ description: 'The time in lessons, in seconds', examples: [3600] }),
  enrolledAt: timestamp().describe('When the learner was enrolled'),
  completedAt: timestamp().nullable().describe('When the course was completed'),
  certificate: Certificate.pick({ id: true, code: true, status: true, issuedAt: true, expiresAt: true })
    .nullable()
    .describe('The certificate of the completion'),
});

/** The most enrolments of a transcript. */
export const transcriptMax = 500;

export const LearnerTranscript = z.object({
  learnerType: LearnerType.meta({ examples: ['user'] }),
  learnerId: id('learner').describe('The learner'),
  total: count('The number of enrolments'),
  completed: count('The number of completed enrolments'),
  averageScore: rate('The average score of completed enrolments; null without scores'),
  secondsSpent: count('The time in lessons, in seconds'),
  courses: z.array(TranscriptEntry).describe(`The last enrolments first, at most ${transcriptMax}`),
});

/** The parameters that select the learners who are counted. */
export const learnerSelection = {
  from: timestamp()
    .describe('Only learners who were enrolled on this day, in UTC, or later; the time of the day is ignored')
    .optional(),
  to: timestamp()
    .describe('Only learners who were enrolled on this day, in UTC, or earlier; the time of the day is ignored')
    .optional(),
  learnerType: LearnerType.optional(),
};

export const statistics = operations({
  getCourseStatistics: {
    method: 'GET',
    path: '/v1/training/courses/:id/statistics',
    permission: 'training:read',
    summary: 'Retrieve the statistics of a course',
    description: '`from` and `to` select learners by the day of their enrolment, in UTC.',
    params: z.object({ id: id('course') }),
    query: z.object(learnerSelection),
    reply: CourseStatistics,
    message: 'Statistics retrieved',
  },
  getLearnerTranscript: {
    method: 'GET',
    path: '/v1/training/learners/:id/transcript',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve the transcript of a learner',
    description: `The enrolments of a user, partner or lead, with scores and certificates. The totals cover all enrolments; the last ${transcriptMax} are listed.`,
    params: z.object({ id: id('learner') }),
    reply: LearnerTranscript,
    message: 'Transcript retrieved',
  },
});
