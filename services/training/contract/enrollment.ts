import { event, id, stateTable, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const enrollmentStatuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export const learnerTypes = ['user', 'partner', 'lead'] as const;
export const withdrawReasons = [
  'by_hand',
  'user_left',
  'partner_left',
  'lead_deleted',
  'lead_merged',
  'erased',
] as const;
export const enrollmentSources = ['manual', 'bulk', 'rule', 'self'] as const;

export const EnrollmentStatus = z.enum(enrollmentStatuses).describe('The status of the enrolment');
export const LearnerType = z.enum(learnerTypes).describe('Whether the learner is a user, a partner or a lead');
const EnrollmentSource = z
  .enum(enrollmentSources)
  .describe('How the learner was enrolled: by a person, with many others, by a rule, or by themselves');

export const enrollmentStates = stateTable<(typeof enrollmentStatuses)[number]>('Enrollment', {
  created: { enrolled: 'createEnrollment' },
  changes: {
    enrolled: { in_progress: 'recordProgress', withdrawn: 'withdrawEnrollment' },
    in_progress: { completed: 'completeLesson', withdrawn: 'withdrawEnrollment' },
    completed: {},
    expired: { enrolled: 'extendEnrollment', in_progress: 'extendEnrollment' },
    withdrawn: {},
  },
  automatic: {
    enrolled: { expired: 'end-enrollment.job', completed: 'follow-content.job' },
    in_progress: { expired: 'end-enrollment.job', completed: 'follow-content.job' },
  },
});

const Percent = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'The completed part of the required lessons, from 0 to 100', examples: [0] });
const Score = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'The average of the best scores of the required quizzes and assignments', examples: [null] });

/** The most learners that one request enrols: within the request, and by a background job. */
export const bulkEnrollmentLimits = { now: 250, job: 10_000 } as const;

export const Enrollment = z.object({
  id: id('enrollment'),
  courseId: id('course'),
  learnerType: LearnerType.meta({ examples: ['user'] }),
  learnerId: id('learner').describe('The user, partner or lead who takes the course'),
  status: EnrollmentStatus.meta({ examples: ['enrolled'] }),
  allowedTransitions: z.array(EnrollmentStatus).meta({
    description: 'The statuses that this enrolment can currently change to',
    examples: [['in_progress', 'withdrawn']],
  }),
  source: EnrollmentSource.meta({ examples: ['manual'] }),
  ruleId: id('enrollment_rule').nullable().describe('The rule that enrolled the learner'),
  withdrawReason: z
    .enum(withdrawReasons)
    .nullable()
    .meta({
      description:
        'Why the learner was withdrawn: by a request, because the user was deactivated, because the partner was terminated or deleted, or because the lead was deleted, merged into one with an enrolment, or erased. null in other enrolments',
      examples: [null],
    }),
  attemptNo: z.int().meta({ description: 'How often the learner has taken the course, with this time', examples: [1] }),
  contentVersion: z
    .int()
    .meta({ description: 'The version of the content of the course that the progress refers to', examples: [1] }),
  percent: Percent,
  score: Score.nullable(),
  secondsSpent: z.int().meta({ description: 'The time that the learner spent in lessons, in seconds', examples: [0] }),
  lastLessonId: id('lesson').nullable().describe('The lesson in which the learner was last'),
  lastActivityAt: timestamp()
    .nullable()
    .meta({ description: 'When the learner was last active', examples: [null] }),
  enrolledAt: timestamp().describe('When the learner was enrolled'),
  startedAt: timestamp()
    .nullable()
    .meta({ description: 'When the learner opened the first lesson', examples: [null] }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the course was completed', examples: [null] }),
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the course must be completed', examples: ['2026-06-30T00:00:00.000Z'] }),
  overdue: z
    .boolean()
    .meta({ description: 'Whether `dueAt` has passed and the course is not completed', examples: [false] }),
  expiresAt: timestamp()
    .nullable()
    .meta({
      description:
        'When the learner loses access to the course. Three days before, and at that time, the learner is told if the course has `notifyLearners`',
      examples: ['2026-12-31T00:00:00.000Z'],
    }),
  certificateId: id('certificate').nullable().describe('The certificate of the completion'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  group: 'training',
  readPermission: 'training:read',
  target: 'enrollment',
  data: z.object({ enrollmentId: id('enrollment'), courseId: id('course'), learnerId: id('learner') }),
  record: Enrollment,
  // Events of the release before lacked these fields.
  whenMissing: {
    record: {
      learnerType: 'user',
      allowedTransitions: [] as never[],
      source: 'manual',
      attemptNo: 1,
      contentVersion: 1,
      percent: 0,
      secondsSpent: 0,
      overdue: false,
    },
  },
  example: { enrollmentId: 'K164dVTlqa3OcG9l', courseId: 'r3mQ2aihbZeOiI80', learnerId: 'a3HT7XOrDKJZ9JtB' },
} as const;
const { group, readPermission, example, whenMissing, ...internal } = change;

export const enrollmentCreated = event('training.enrollment.created', {
  ...change,
  description: 'A learner is enrolled in a course',
  action: 'enrollment.create',
});
export const enrollmentWithdrawn = event('training.enrollment.withdrawn', {
  ...change,
  description: 'A learner is withdrawn from a course',
  action: 'enrollment.withdraw',
});
export const enrollmentUpdated = event('training.enrollment.updated', {
  ...internal,
  description: 'The dates of an enrolment change',
  action: 'enrollment.update',
});
export const enrollmentStarted = event('training.enrollment.started', {
  ...internal,
  description: 'A learner opens the first lesson of a course',
  action: 'enrollment.start',
});
export const enrollmentExpired = event('training.enrollment.expired', {
  ...internal,
  description: 'A learner loses access to a course at the time of `expiresAt`',
  action: 'enrollment.expire',
});
export const enrollmentExpiring = event('training.enrollment.expiring', {
  ...change,
  description: 'A learner loses access to a course in three days',
  action: 'enrollment.announce_end',
});
export const enrollmentDue = event('training.enrollment.due', {
  ...change,
  description: 'An enrolment is due in three days',
  action: 'enrollment.due',
});
export const enrollmentOverdue = event('training.enrollment.overdue', {
  ...change,
  description: 'The due date of an enrolment has passed',
  action: 'enrollment.overdue',
});
