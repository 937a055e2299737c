import { exportPage, id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Lead } from './leads.ts';
import { Opportunity } from './opportunities.ts';

/** A lead as other services see it: who it is and where it stands. */
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

/** How many leads `filterLeads` takes at once. */
export const filteredLeadsMax = 5_000;

/** Leads of the caller's tenant, for services that store their ids. */
export const internalLeads = operations({
  findLeads: {
    method: 'POST',
    path: '/internal/leads/find',
    audience: 'internal',
    summary: 'Those of the given leads that exist and are not deleted',
    body: z.object({ ids: z.array(id('lead')).max(250, 'Must hold at most 250 ids') }),
    reply: z.array(InternalLead),
    message: 'Leads found',
    emits: [],
  },
  filterLeads: {
    method: 'POST',
    path: '/internal/leads/filter',
    audience: 'internal',
    summary: 'Ids of those of the given leads that exist, are not deleted and lie within the reach of the call',
    body: z.object({ ids: z.array(id('lead')).max(filteredLeadsMax, `Must hold at most ${filteredLeadsMax} ids`) }),
    reply: z.object({ ids: z.array(id('lead')) }),
    message: 'Leads filtered',
    emits: [],
  },
});

/** All records of the tenant, for services that keep a copy of them. */
export const internalExports = operations({
  exportLeads: {
    method: 'POST',
    path: '/internal/leads/export',
    audience: 'internal',
    summary: 'Leads with greater ids than the given one; of deleted leads the version is what counts',
    ...exportPage('lead', Lead),
    message: 'Leads exported',
    emits: [],
  },
  exportOpportunities: {
    method: 'POST',
    path: '/internal/opportunities/export',
    audience: 'internal',
    summary: 'Opportunities with greater ids than the given one',
    ...exportPage('opportunity', Opportunity),
    message: 'Opportunities exported',
    emits: [],
  },
});
