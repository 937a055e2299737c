import { id, listQuery, operations, page, text } from '@tandem/contract';
import { z } from 'zod';
import { Activity, ActivityType } from './activities.ts';

const types: readonly string[] = ActivityType.options;
const error = `Must be a list of types, separated by commas: ${types.join(', ')}`;

// Text, because a parameter is sent once: several types are separated by commas.
const TypeList = text(200).refine((value) => value.split(',').every((one) => types.includes(one)), { error });

const query = listQuery(['occurredAt'])
  .omit({ search: true, createdFrom: true, createdTo: true })
  .extend({
    types: TypeList.meta({
      description: 'Return only entries of these types, separated by commas',
      examples: ['call,email,status'],
    }).optional(),
  });
const ofOthers =
  'Entries about opportunities and tasks that the caller cannot read are left out, and those about files without a permission to read files.';

export const timelines = operations({
  getLeadTimeline: {
    method: 'GET',
    path: '/v1/leads/:id/timeline',
    permission: 'leads:read',
    also: ['activities:read'],
    narrows: true,
    summary: 'Retrieve the timeline of a lead',
    description: `What people logged about the lead, and what the system did: status, assignment, score, consent, merges, deals, tasks, messages, forms and files, newest first. A caller who can read the lead can read what everybody logged about it. ${ofOthers}`,
    params: z.object({ id: id('lead') }),
    query,
    reply: page(Activity),
    message: 'Timeline retrieved',
  },
  getAccountTimeline: {
    method: 'GET',
    path: '/v1/accounts/:id/timeline',
    permission: 'accounts:read',
    also: ['activities:read'],
    narrows: true,
    summary: 'Retrieve the timeline of an account',
    description: `The activities of the account, of its leads and of its opportunities, newest first. Entries about leads that the caller cannot read are left out. ${ofOthers}`,
    params: z.object({ id: id('account') }),
    query,
    reply: page(Activity),
    message: 'Timeline retrieved',
  },
});
