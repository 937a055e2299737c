import { countsOpenWork, exportPage, id, operations, rebuildPage, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Lead } from './lead.ts';
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
});

/** Maximum number of ids in a `filterLeads` request. */
export const filteredLeadsMax = 5_000;

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
    }),
    message: 'Opportunities exported',
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
