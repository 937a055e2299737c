import {
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  stateTable,
  text,
  timestamp,
  withOrderedRanges,
} from '@tandem/contract';
import { z } from 'zod';
import { EngagementType } from './events.ts';
import { LeadSourceCode, LeadStatusCode } from './fields.ts';
import { EventFilters } from './funnels.ts';

/** Limits of saved cohorts: of a tenant in one environment, and of one cohort. */
export const cohortLimits = { cohorts: 200, members: 100_000, codes: 50, conditions: 5, minCount: 1_000 } as const;

/** Engagement events that a lead caused, or did not cause. */
const Deed = {
  type: EngagementType.describe('The type of the events'),
  filters: EventFilters.describe('Conditions on the events').optional(),
  from: timestamp().describe('Only events at this time or later').optional(),
  to: timestamp().describe('Only events at this time or earlier').optional(),
};
const MinCount = z
  .int()
  .min(1, 'Must be at least 1')
  .max(cohortLimits.minCount, `Must be at most ${cohortLimits.minCount}`)
  .meta({ description: 'How many such events there must be at least; 1 by default', examples: [2] });

const conditionsError = `Must contain at most ${cohortLimits.conditions} entries`;
const Did = z
  .array(withOrderedRanges(z.strictObject({ ...Deed, minCount: MinCount.optional() })))
  .min(1, 'Must not be empty')
  .max(cohortLimits.conditions, conditionsError)
  .meta({
    description: 'Only leads with these engagement events; all entries must hold',
    examples: [[{ type: 'link_click', minCount: 2 }]],
  });
const DidNot = z
  .array(withOrderedRanges(z.strictObject(Deed)))
  .min(1, 'Must not be empty')
  .max(cohortLimits.conditions, conditionsError)
  .meta({ description: 'Only leads without any of these engagement events', examples: [[{ type: 'email_reply' }]] });

function codesOf<Code extends z.ZodType<string>>(code: Code) {
  return z
    .array(code)
    .min(1, 'Must not be empty')
    .max(cohortLimits.codes, `Must contain at most ${cohortLimits.codes} values`);
}

const Sources = { description: 'Only leads from one of these sources', examples: [['web']] };
const Statuses = { description: 'Only leads with one of these statuses', examples: [['qualified']] };

const cohortExample = { sources: ['web'], did: [{ type: 'link_click', minCount: 2 }] };

const createdTimes = {
  createdFrom: timestamp().describe('Only leads created at this time or later').optional(),
  createdTo: timestamp().describe('Only leads created at this time or earlier').optional(),
};
const convertedTimes = {
  convertedFrom: timestamp().describe('Only leads converted at this time or later').optional(),
  convertedTo: timestamp().describe('Only leads converted at this time or earlier').optional(),
};

/** Which leads belong to a cohort. Stored filters may have codes that requests cannot have. */
export const CohortFilter = withOrderedRanges(
  z
    .strictObject({
      sources: codesOf(z.string()).meta(Sources).optional(),
      statuses: codesOf(z.string()).meta(Statuses).optional(),
      assignedTo: id('user').describe('Only leads that are assigned to this user').optional(),
      teamId: id('team').describe('Only leads of this team').optional(),
      partnerId: id('partner').describe('Only leads of this partner').optional(),
      ...createdTimes,
      ...convertedTimes,
      did: Did.optional(),
      didNot: DidNot.optional(),
    })
    .superRefine((filter, context) => {
      if (Object.values(filter).every((value) => value === undefined))
        context.addIssue({ code: 'custom', message: 'Must have at least one condition' });
    }),
).meta({
  description: 'Which leads belong to the cohort; all conditions must hold',
  examples: [cohortExample],
});

const SentFilter = CohortFilter.safeExtend({
  sources: codesOf(LeadSourceCode).meta(Sources).optional(),
  statuses: codesOf(LeadStatusCode).meta(Statuses).optional(),
}).meta({ description: 'Which leads belong to the cohort; all conditions must hold', examples: [cohortExample] });

const statuses = ['counting', 'ready', 'failed'] as const;
export const CohortStatus = z
  .enum(statuses)
  .describe(
    'Whether the leads of a static cohort are being stored, are stored, or could not be stored; other cohorts are always `ready`',
  );

/** How the status of a cohort changes. */
export const cohortStates = stateTable<(typeof statuses)[number]>('CohortDefinition', {
  created: { counting: 'createCohortDefinition', ready: 'createCohortDefinition' },
  changes: {
    counting: {},
    ready: { counting: 'refreshCohortDefinition' },
    failed: { counting: 'refreshCohortDefinition' },
  },
  automatic: { counting: { ready: 'count-cohort.job', failed: 'count-cohort.job' } },
});

export const CohortDefinition = z.object({
  id: id('cohort_definition'),
  tenantId: id('tenant'),
  name: name().meta({ examples: ['Active web leads'] }),
  description: text(500)
    .nullable()
    .meta({ description: 'The purpose of the cohort', examples: ['For the weekly review'] }),
  filter: CohortFilter,
  static: z.boolean().meta({
    description: 'Whether the cohort keeps the leads that it had when they were counted',
    examples: [false],
  }),
  status: CohortStatus,
  allowedTransitions: z
    .array(CohortStatus)
    .meta({ description: 'The statuses that you can change the cohort to', examples: [[]] }),
  memberCount: z
    .int()
    .nullable()
    .meta({
      description:
        'The number of leads of a static cohort at `countedAt`. Leads that were deleted since do not count in queries; null for other cohorts',
      examples: [null],
    }),
  countedAt: timestamp()
    .nullable()
    .meta({ description: 'When the leads of a static cohort were stored', examples: [null] }),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['too_many_leads'] }),
      message: z.string().meta({ description: 'The reason, for people', examples: ['Too many leads match'] }),
    })
    .nullable()
    .meta({ description: 'Why the last count failed; null otherwise', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  target: 'cohort_definition',
  data: z.object({ cohortDefinitionId: id('cohort_definition'), name: z.string() }),
  record: z.object({ id: id('cohort_definition') }),
} as const;
export const cohortDefinitionCreated = event('cohort_definition.created', {
  ...change,
  description: 'A cohort is saved',
  action: 'cohort_definition.create',
});
export const cohortDefinitionUpdated = event('cohort_definition.updated', {
  ...change,
  description: 'A saved cohort is updated',
  action: 'cohort_definition.update',
});
export const cohortDefinitionRefreshed = event('cohort_definition.refreshed', {
  ...change,
  description: 'The leads of a static cohort are counted again',
  action: 'cohort_definition.refresh',
});
export const cohortDefinitionDeleted = event('cohort_definition.deleted', {
  ...change,
  description: 'A saved cohort is deleted',
  action: 'cohort_definition.delete',
});

const withId = z.object({ id: id('cohort_definition') });
const nameTaken = [409, 'Another cohort has this name; use a different one'] as const;

export const cohortDefinitions = operations({
  createCohortDefinition: {
    method: 'POST',
    path: '/v1/analytics/cohort-definitions',
    permission: 'analytics:write',
    summary: 'Save a cohort',
    description: `Saves which leads are a cohort under a name, to use it as \`cohortId\` of funnels, cohort analyses, and exports and reports of leads and events. Its leads are those that meet the filter at the time of the query; a static cohort stores them once, at most ${cohortLimits.members}, and is \`counting\` until then. At most ${cohortLimits.cohorts} cohorts.`,
    body: z.object({
      name: CohortDefinition.shape.name,
      description: text(500).nullish(),
      filter: SentFilter,
      static: z
        .boolean()
        .describe('Whether to store the leads that meet the filter now; it cannot change later')
        .default(false),
    }),
    reply: CohortDefinition,
    status: 201,
    message: 'Cohort saved',
    emits: [cohortDefinitionCreated],
    errors: {
      name_taken: nameTaken,
      too_many_cohorts: [409, `There are ${cohortLimits.cohorts} cohorts; delete one first`],
    },
  },
  listCohortDefinitions: {
    method: 'GET',
    path: '/v1/analytics/cohort-definitions',
    permission: 'analytics:read',
    summary: 'List saved cohorts',
    query: withOrderedRanges(listQuery(['createdAt', 'name']).omit({ search: true })),
    reply: page(CohortDefinition),
    message: 'Cohorts retrieved',
  },
  getCohortDefinition: {
    method: 'GET',
    path: '/v1/analytics/cohort-definitions/:id',
    permission: 'analytics:read',
    summary: 'Retrieve a saved cohort',
    params: withId,
    reply: CohortDefinition,
    message: 'Cohort retrieved',
  },
  updateCohortDefinition: {
    method: 'PATCH',
    path: '/v1/analytics/cohort-definitions/:id',
    permission: 'analytics:write',
    summary: 'Update a saved cohort',
    description: '`filter` replaces the whole filter. A static cohort keeps its leads until it is refreshed.',
    params: withId,
    body: z.object({
      name: CohortDefinition.shape.name.optional(),
      description: text(500).nullish(),
      filter: SentFilter.optional(),
    }),
    reply: CohortDefinition,
    message: 'Cohort updated',
    emits: [cohortDefinitionUpdated],
    errors: { name_taken: nameTaken },
  },
  refreshCohortDefinition: {
    method: 'POST',
    path: '/v1/analytics/cohort-definitions/:id/refresh',
    permission: 'analytics:write',
    summary: 'Refresh a static cohort',
    description: `Starts a job that replaces the leads of a static cohort by those that meet its filter now, at most ${cohortLimits.members}. Queries use the leads from before until then, and also if the job fails.`,
    params: withId,
    reply: CohortDefinition,
    example: { static: true, status: 'counting' },
    status: 202,
    message: 'Cohort refresh started',
    emits: [cohortDefinitionRefreshed],
    errors: {
      not_static: [409, 'The cohort is not static: its leads are always those that meet its filter'],
      wrong_status: [409, 'The leads of the cohort are being counted already'],
    },
  },
  deleteCohortDefinition: {
    method: 'DELETE',
    path: '/v1/analytics/cohort-definitions/:id',
    permission: 'analytics:delete',
    summary: 'Delete a saved cohort',
    description: 'Queries and reports that name it fail from then on.',
    params: withId,
    reply: z.object({ id: id('cohort_definition'), deleted: z.literal(true).describe('Always true') }),
    message: 'Cohort deleted',
    emits: [cohortDefinitionDeleted],
  },
});
