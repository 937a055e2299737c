import {
  event,
  flag,
  id,
  LeadCondition,
  listQuery,
  name,
  operations,
  page,
  timestamp,
  writableCondition,
} from '@tandem/contract';
import { z } from 'zod';
import { LearnerType } from './enrollment.ts';

export const enrollmentRulesMax = 100;
export const skipReasons = [
  'already_enrolled',
  'completed_before',
  'expired_before',
  'withdrawn_before',
  'prerequisites_open',
  'not_published',
  'course_deleted',
  'audience',
] as const;
export const ruleTiers = ['bronze', 'silver', 'gold', 'platinum'] as const;
export const RuleTier = z.enum(ruleTiers).describe('A tier of partners');

const listMax = 20;
const wholeDays = 'Must be a whole number from 1 to 3650';
const Days = z.int({ error: wholeDays }).min(1, wholeDays).max(3_650, wholeDays);
const RoleIds = z
  .array(id('role'))
  .max(listMax, `Must contain at most ${listMax} roles`)
  .describe('For users: their role is one of these; any role if the list is empty');
const TeamIds = z
  .array(id('team'))
  .max(listMax, `Must contain at most ${listMax} teams`)
  .describe('For users: they are in one of these teams; in any or none if the list is empty');
const Tiers = z
  .array(RuleTier)
  .max(ruleTiers.length, `Must contain at most ${ruleTiers.length} tiers`)
  .meta({ description: 'For partners: their tier is one of these; any tier if the list is empty', examples: [[]] });
const conditionsText = 'For leads: the conditions that a lead must meet, all of them; every lead if the list is empty';
const title = name(200).meta({ examples: ['New colleagues'] });

export const EnrollmentRule = z.object({
  id: id('enrollment_rule'),
  title,
  courseId: id('course').describe('The course in which the rule enrols learners'),
  learnerType: LearnerType.meta({ examples: ['user'] }),
  roleIds: RoleIds,
  teamIds: TeamIds,
  tiers: Tiers,
  leadConditions: z.array(LeadCondition).meta({ description: conditionsText, examples: [[]] }),
  dueInDays: Days.nullable().meta({ description: 'Days from the enrolment until it is due', examples: [14] }),
  expiresInDays: Days.nullable().meta({
    description: 'Days from the enrolment until the learner loses access; not less than `dueInDays`',
    examples: [90],
  }),
  reenroll: z.boolean().meta({
    description:
      'Whether learners who were withdrawn from the course are enrolled again. Such a rule needs the permission `training:manage`',
    examples: [false],
  }),
  active: z.boolean().meta({ description: 'Whether the rule enrols learners', examples: [true] }),
  enrolledCount: z.int().meta({ description: 'The number of learners whom the rule has enrolled', examples: [0] }),
  skippedCount: z.int().meta({
    description: 'The number of learners who meet the rule and could not be enrolled',
    examples: [0],
  }),
  existingAppliedAt: timestamp()
    .nullable()
    .meta({
      description: 'When all learners who existed before had been examined',
      examples: [null],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A rule with the learners that it skipped last. */
export const EnrollmentRuleDetail = EnrollmentRule.extend({
  lastSkipped: z
    .array(
      z.object({
        learnerId: id('learner').describe('A learner who meets the rule'),
        reason: z.enum(skipReasons).meta({
          description: 'The reason that the learner was not enrolled',
          examples: ['prerequisites_open'],
        }),
        skippedAt: timestamp().describe('When the learner was examined'),
      }),
    )
    .describe('The last 20 learners who could not be enrolled'),
});

const change = {
  target: 'enrollment_rule',
  data: z.object({ ruleId: id('enrollment_rule'), courseId: id('course') }),
  record: EnrollmentRule,
} as const;

export const enrollmentRuleCreated = event('training.enrollment_rule.created', {
  ...change,
  description: 'An enrolment rule is created',
  action: 'enrollment_rule.create',
});
export const enrollmentRuleUpdated = event('training.enrollment_rule.updated', {
  ...change,
  description: 'An enrolment rule changes, or is enabled or disabled',
  action: 'enrollment_rule.update',
});
export const enrollmentRuleDeleted = event('training.enrollment_rule.deleted', {
  ...change,
  description: 'An enrolment rule is deleted; its enrolments stay',
  action: 'enrollment_rule.delete',
});

const withId = z.object({ id: id('enrollment_rule') });
const writable = {
  roleIds: RoleIds.optional(),
  teamIds: TeamIds.optional(),
  tiers: Tiers.optional(),
  leadConditions: z
    .array(writableCondition)
    .max(listMax, `Must contain at most ${listMax} conditions`)
    .meta({ description: conditionsText })
    .optional(),
  dueInDays: Days.nullish(),
  expiresInDays: Days.nullish(),
  reenroll: z.boolean().optional(),
};
const applyToExisting = z
  .boolean()
  .describe('Whether a background job also examines the learners who exist already')
  .optional();

export const enrollmentRules = operations({
  createEnrollmentRule: {
    method: 'POST',
    path: '/v1/training/enrollment-rules',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Create an enrolment rule',
    description:
      'The rule enrols active users, approved partners or leads as soon as they meet its conditions, each once. Learners who cannot be enrolled are skipped: because the course is not published or not for them, or courses that it requires are open. They are examined again with their next change, with the completion of a course, and when the course of the rule is published or restored, or its audience or prerequisites change.',
    body: z.object({
      title,
      courseId: id('course'),
      learnerType: LearnerType,
      ...writable,
      active: z.boolean().default(true),
      applyToExisting,
    }),
    reply: EnrollmentRule,
    status: 201,
    message: 'Enrolment rule created',
    emits: [enrollmentRuleCreated],
    errors: {
      too_many_rules: [409, `A tenant can have at most ${enrollmentRulesMax} enrolment rules; delete one first`],
    },
  },
  listEnrollmentRules: {
    method: 'GET',
    path: '/v1/training/enrollment-rules',
    permission: 'training:read',
    summary: 'List enrolment rules',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        courseId: id('course').optional(),
        learnerType: LearnerType.optional(),
        active: flag().describe('Return only active rules, or only others').optional(),
      }),
    reply: page(EnrollmentRule),
    message: 'Enrolment rules retrieved',
  },
  getEnrollmentRule: {
    method: 'GET',
    path: '/v1/training/enrollment-rules/:id',
    permission: 'training:read',
    summary: 'Retrieve an enrolment rule',
    params: withId,
    reply: EnrollmentRuleDetail,
    message: 'Enrolment rule retrieved',
  },
  updateEnrollmentRule: {
    method: 'PATCH',
    path: '/v1/training/enrollment-rules/:id',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Update an enrolment rule',
    description: 'Course and type of learner stay. Enrolments that exist stay as they are.',
    params: withId,
    body: z.object({ title: title.optional(), ...writable }),
    reply: EnrollmentRule,
    message: 'Enrolment rule updated',
    emits: [enrollmentRuleUpdated],
  },
  deleteEnrollmentRule: {
    method: 'DELETE',
    path: '/v1/training/enrollment-rules/:id',
    permission: 'training:delete',
    summary: 'Delete an enrolment rule',
    description: 'Enrolments that the rule has made stay.',
    params: withId,
    reply: z.object({ id: id('enrollment_rule'), deleted: z.literal(true).describe('Always true') }),
    message: 'Enrolment rule deleted',
    emits: [enrollmentRuleDeleted],
  },
  enableEnrollmentRule: {
    method: 'POST',
    path: '/v1/training/enrollment-rules/:id/enable',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Enable an enrolment rule',
    description:
      'A rule whose last team or role was deleted is refused until `teamIds` or `roleIds` are sent with PATCH, because without them it would enrol every user.',
    params: withId,
    body: z.object({ applyToExisting }),
    reply: EnrollmentRule,
    message: 'Enrolment rule enabled',
    emits: [enrollmentRuleUpdated],
    errors: { conditions_lost: [409, 'The rule has lost its last team or role; send teamIds or roleIds first'] },
  },
  disableEnrollmentRule: {
    method: 'POST',
    path: '/v1/training/enrollment-rules/:id/disable',
    permission: 'training:write',
    summary: 'Disable an enrolment rule',
    description: 'It enrols nobody from then on. Enrolments that it has made stay.',
    params: withId,
    reply: EnrollmentRule,
    example: { active: false },
    message: 'Enrolment rule disabled',
    emits: [enrollmentRuleUpdated],
  },
});
