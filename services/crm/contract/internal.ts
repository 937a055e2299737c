import {
  countsOpenWork,
  exportPage,
  freeForm,
  id,
  LeadCondition,
  operations,
  rebuildPage,
  selectConditionsMax,
  selectedLeadsMax,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { Account } from './accounts.ts';
import { Lead, LeadStatus, leadChanges, leadCreated } from './lead.ts';
import { DuplicatePair } from './lead-duplicates.ts';
import { Opportunity } from './opportunity.ts';

/** The fields of a lead that other services can read. */
export const InternalLead = Lead.pick({
  id: true,
  email: true,
  firstName: true,
  lastName: true,
  phone: true,
  status: true,
  score: true,
  source: true,
  assignedTo: true,
  createdAt: true,
}).extend({
  // The release before does not send it.
  partnerId: Lead.shape.partnerId.optional(),
  timezone: Lead.shape.timezone.optional(),
  consent: Lead.shape.consent.optional(),
});

/** Maximum number of ids in a `filterLeads` request. */
export const filteredLeadsMax = 5_000;

/** Maximum number of ids in a `readLeads` request. */
export const readLeadsMax = 500;

/** Maximum number of ids in a `findDismissedDuplicates` request. */
export const pairedLeadsMax = 1_000;

/** Maximum number of changes in a `checkCustomFieldValues` request. */
export const checkedChangesMax = 200;

/** Leads of the caller's tenant, for services that store their ids. */
export const internalLeads = operations({
  findLeads: {
    method: 'POST',
    path: '/internal/leads/find',
    audience: 'internal',
    summary: 'Retrieve leads by id, without deleted ones',
    body: z.object({ ids: z.array(id('lead')).max(250, 'Must contain at most 250 ids') }),
    reply: z.array(InternalLead),
    message: 'Leads found',
    emits: [],
  },
  readLeads: {
    method: 'POST',
    path: '/internal/leads/read',
    audience: 'internal',
    summary: 'Retrieve whole leads by id, without deleted ones and those that the caller cannot read',
    body: z.object({ ids: z.array(id('lead')).max(readLeadsMax, `Must contain at most ${readLeadsMax} ids`) }),
    reply: z.array(Lead),
    message: 'Leads read',
    emits: [],
  },
  findLeadsByEmail: {
    method: 'POST',
    path: '/internal/leads/find-by-email',
    audience: 'internal',
    summary: 'Retrieve the leads with an e-mail address, without deleted ones, the oldest first',
    body: z.object({ email: Lead.shape.email }),
    reply: z.array(Lead),
    message: 'Leads found',
    emits: [],
  },
  filterLeads: {
    method: 'POST',
    path: '/internal/leads/filter',
    audience: 'internal',
    summary: 'Return the ids of existing leads that the caller can read',
    body: z.object({ ids: z.array(id('lead')).max(filteredLeadsMax, `Must contain at most ${filteredLeadsMax} ids`) }),
    reply: z.object({ ids: z.array(id('lead')) }),
    message: 'Leads filtered',
    emits: [],
  },
  findDismissedDuplicates: {
    method: 'POST',
    path: '/internal/leads/dismissed-duplicates',
    audience: 'internal',
    summary: 'Return existing leads, each with those after it that somebody declared to be another person',
    body: z.object({
      leadIds: z.array(id('lead')).max(pairedLeadsMax, `Must contain at most ${pairedLeadsMax} ids`),
    }),
    reply: z.array(
      z.object({
        leadId: id('lead'),
        dismissed: z.array(
          DuplicatePair.pick({ confidence: true, decidedBy: true, decidedAt: true }).extend({ otherId: id('lead') }),
        ),
      }),
    ),
    message: 'Dismissed pairs found',
    emits: [],
  },
  /** A page can have fewer leads than `limit`, or none, before the last one, because a call examines a limited number. */
  selectLeads: {
    method: 'POST',
    path: '/internal/leads/select',
    audience: 'internal',
    summary: 'Return leads that meet all conditions and that the caller can read, by id; `next` is null at the end',
    body: z.object({
      conditions: z
        .array(LeadCondition)
        .max(selectConditionsMax, `Must contain at most ${selectConditionsMax} conditions`),
      ids: z
        .array(id('lead'))
        .max(selectedLeadsMax, `Must contain at most ${selectedLeadsMax} ids`)
        .optional()
        .describe('Only these leads'),
      after: id('lead').nullish().describe('Only leads with greater ids'),
      limit: z.int().min(1).max(selectedLeadsMax, `Must be at most ${selectedLeadsMax}`),
    }),
    reply: z.object({
      leads: z.array(Lead.pick({ id: true, email: true, phone: true, consent: true })),
      next: id('lead').nullable(),
    }),
    message: 'Leads selected',
    emits: [],
  },
  /** For values that are written later, so that a mistake is found while somebody can correct it. */
  checkCustomFieldValues: {
    method: 'POST',
    path: '/internal/leads/check-custom-fields',
    audience: 'internal',
    summary: 'Return the values of custom fields that the definitions for leads refuse',
    body: z.object({
      changes: z
        .array(freeForm())
        .max(checkedChangesMax, `Must contain at most ${checkedChangesMax} changes`)
        .describe('Custom fields, each with those that one change of a lead sets'),
    }),
    reply: z.array(z.object({ index: z.int(), key: z.string(), message: z.string() })),
    message: 'Custom fields checked',
    emits: [],
  },
  upsertLeadByEmail: {
    method: 'POST',
    path: '/internal/leads/upsert-by-email',
    audience: 'internal',
    summary: 'Find the lead with an e-mail address, or create it with the source `web` or another one',
    description:
      'For data that people enter themselves, such as forms. An existing lead keeps its values, because anybody can enter the address of somebody else; it gets those that it lacks, except for a referral code, which would be a claim of whoever sends it. Repeating the request changes nothing.',
    body: Lead.pick({ email: true }).extend({
      firstName: Lead.shape.firstName.optional(),
      lastName: Lead.shape.lastName.optional(),
      phone: Lead.shape.phone.optional(),
      /** The code of a new lead; an existing lead does not get it. */
      referralCode: Lead.shape.referralCode.optional(),
      /** The partner who submits a new lead, by which a repeated request recognizes its lead. */
      partnerId: Lead.shape.partnerId.optional(),
      /** Whether an existing lead gets nothing, not even what it lacks. */
      onlyNew: z.boolean().optional(),
      /** Of a new lead; `web` by default. */
      source: Lead.shape.source.optional(),
      customFields: freeForm().optional(),
      /**
       * Consent to receive e-mail, and when the person gave it. A person who refused it before is asked to confirm the
       * address: without the confirmation the refusal stays. A confirmed consent replaces an earlier decision.
       */
      consent: z.object({ source: text(200), isConfirmed: z.boolean(), at: timestamp().optional() }).optional(),
    }),
    reply: z.object({
      leadId: id('lead'),
      created: z.boolean(),
      /** The custom fields that were left out, because their definitions refuse the values. */
      ignored: z.array(z.object({ field: z.string(), message: z.string() })),
    }),
    message: 'Lead found or created',
    emits: [leadCreated, ...leadChanges],
  },
});

/** Opportunities of the caller's tenant, for services that store their ids. */
export const internalOpportunities = operations({
  filterOpportunities: {
    method: 'POST',
    path: '/internal/opportunities/filter',
    audience: 'internal',
    summary: 'Return the ids of existing opportunities that the caller can read',
    body: z.object({
      ids: z.array(id('opportunity')).max(filteredLeadsMax, `Must contain at most ${filteredLeadsMax} ids`),
    }),
    reply: z.object({ ids: z.array(id('opportunity')) }),
    message: 'Opportunities filtered',
    emits: [],
  },
});

/** The deals of a partner, for its portal. */
export const internalPartnerDeals = operations({
  findPartnerDeals: {
    method: 'POST',
    path: '/internal/opportunities/of-partner',
    audience: 'internal',
    summary: 'Return a page of the deals of a partner, the newest first',
    body: z.object({
      partnerId: id('partner'),
      status: Opportunity.shape.status.optional(),
      page: z.int().min(1).max(100_000),
      limit: z.int().min(1).max(100),
    }),
    reply: z.object({
      total: z.int(),
      deals: z.array(
        Opportunity.pick({
          id: true,
          name: true,
          leadId: true,
          value: true,
          currency: true,
          status: true,
          closedAt: true,
          createdAt: true,
        }),
      ),
    }),
    message: 'Deals found',
    emits: [],
  },
});

/** Pipelines of the caller's tenant, for services that store their ids. */
export const internalPipelines = operations({
  filterPipelines: {
    method: 'POST',
    path: '/internal/pipelines/filter',
    audience: 'internal',
    summary: 'Return the ids of existing pipelines',
    body: z.object({ ids: z.array(id('pipeline')).max(100, 'Must contain at most 100 ids') }),
    reply: z.object({ ids: z.array(id('pipeline')) }),
    message: 'Pipelines filtered',
    emits: [],
  },
  readPipeline: {
    method: 'POST',
    path: '/internal/pipelines/read',
    audience: 'internal',
    summary: 'Retrieve the stages of a pipeline in their order; without an id, those of the default pipeline',
    body: z.object({ id: id('pipeline').nullable() }),
    reply: z.object({
      id: id('pipeline'),
      stages: z.array(z.object({ code: z.string(), isClosed: z.boolean(), isWon: z.boolean() })),
    }),
    message: 'Pipeline retrieved',
    emits: [],
  },
  readStageCodes: {
    method: 'POST',
    path: '/internal/pipelines/stage-codes',
    audience: 'internal',
    summary: 'Retrieve the codes of the stages of all pipelines',
    body: z.object({}),
    reply: z.object({ codes: z.array(z.string()) }),
    message: 'Stage codes retrieved',
    emits: [],
  },
});

/** Counts the open work of a user, for identity, which requires a successor when the user leaves. */
export const internalWork = operations({
  countOpenWork: countsOpenWork(['leads', 'opportunities', 'accounts', 'tasks']),
});

/** Counts for the badges of the acting user. */
export const internalTaskCounts = operations({
  countDueTasks: {
    method: 'POST',
    path: '/internal/tasks/count-due',
    audience: 'internal',
    summary:
      'Count the open tasks of the acting user that the permissions of the context open; null without permission',
    body: z.object({ until: timestamp() }),
    /** `due`: from now until the given time. */
    reply: z.object({ overdue: z.int(), due: z.int() }).nullable(),
    message: 'Tasks counted',
    emits: [],
  },
});

// The previous release exports opportunities without these fields.
const ExportedOpportunity = Opportunity.extend({
  accountId: id('account').nullable().default(null),
  pipelineId: Opportunity.shape.pipelineId.default(null),
  probabilityOverridden: Opportunity.shape.probabilityOverridden.default(false),
  partnerId: Opportunity.shape.partnerId.default(null),
  customFields: Opportunity.shape.customFields.default({}),
  notes: Opportunity.shape.notes.default(null),
});
/** Fields that the previous release does not send. */
const sinceRelease = {
  statusCode: true,
  accountId: true,
  partnerId: true,
  timezone: true,
  consent: true,
  mergedIntoId: true,
} as const;

/** Exports all records of the tenant, for services that keep a copy. The previous release lacks the optional fields. */
export const internalExports = operations({
  exportLeads: {
    method: 'POST',
    path: '/internal/leads/export',
    audience: 'internal',
    summary: 'Export leads with ids greater than `after`, including deleted ones until they are purged',
    ...exportPage('lead', Lead.partial(sinceRelease), {
      /** When the lead got its current referral code; null without one. */
      referredAt: timestamp().nullish(),
      /** The statuses that it had, with the times at which it got them. Changes of earlier releases are not known. */
      statuses: z.array(z.object({ status: LeadStatus, at: timestamp() })).nullish(),
    }),
    message: 'Leads exported',
    emits: [],
  },
  exportOpportunities: {
    method: 'POST',
    path: '/internal/opportunities/export',
    audience: 'internal',
    summary: 'Export opportunities with ids greater than `after`',
    ...exportPage('opportunity', ExportedOpportunity, {
      /** When the deal was recorded as won, which may be later than `closedAt`; null if it is not won. */
      wonAt: timestamp().nullish(),
      /** The stages that it was in, with the times at which it entered them. */
      stages: z.array(z.object({ stage: z.string(), at: timestamp() })).nullish(),
    }),
    message: 'Opportunities exported',
    emits: [],
  },
  exportAccounts: {
    method: 'POST',
    path: '/internal/accounts/export',
    audience: 'internal',
    summary: 'Export accounts with ids greater than `after`, including deleted ones until they are purged',
    ...exportPage('account', Account, {}),
    message: 'Accounts exported',
    emits: [],
  },
});

/** Parts of the rebuild of duplicate pairs. */
export const duplicateParts = ['leads'] as const;

/** For operators: `npm run admin -- rebuild duplicates`. */
export const internalRebuilds = operations({
  rebuildDuplicates: {
    method: 'POST',
    path: '/internal/leads/duplicates/rebuild',
    audience: 'internal',
    summary: 'Compare one page of leads with all leads, and correct their open duplicate pairs',
    ...rebuildPage(duplicateParts),
    message: 'Duplicates rebuilt',
    emits: [],
  },
});
