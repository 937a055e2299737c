import type { Tool } from '@tandem/ai';
import type { JobScope } from '@tandem/jobs';
import { z } from 'zod';
import type { Lead, Tools } from '../../handler.ts';

const limit = 20;
const none = z.object({});

// What an agent may read. It writes through an approved action only.
const permissions = ['leads:read', 'activities:read', 'tasks:read', 'opportunities:read'];

/**
 * The tools of a recommender: they read the lead of the execution and what belongs to it. None takes an id, so nothing in the
 * data of a lead can lead the model to another one. Addresses and phone numbers are left out.
 */
export function leadTools(
  { crm }: Pick<Tools, 'crm'>,
  on: { lead: Lead; execution: { id: number }; scope: JobScope },
): Tool[] {
  const { id } = on.lead;
  const as = { ...on.scope, requestId: `execution_${on.execution.id}`, permissions };
  const newest = { page: 1, limit, leadId: id } as const;
  return [
    {
      name: 'get_lead',
      description: 'The lead: name, status, score, source, tags, custom fields and consents',
      input: none,
      async run() {
        const [lead] = await crm.readLeads({ body: { ids: [id] }, as });
        if (!lead) return null;
        const { firstName, lastName, status, allowedTransitions, score, source, tags, customFields, createdAt } = lead;
        const { consent, convertedAt } = lead;
        const facts = { firstName, lastName, status, allowedTransitions, score, source, tags, customFields, createdAt };
        return { ...facts, consent, convertedAt };
      },
    },
    {
      name: 'list_activities',
      description: `The latest ${limit} calls, mails, meetings and notes about the lead`,
      input: none,
      async run() {
        const items = await crm.listActivities({ query: { ...newest, sort: '-occurredAt' }, as });
        return items.map(({ type, subject, outcome, occurredAt }) => ({ type, subject, outcome, occurredAt }));
      },
    },
    {
      name: 'list_tasks',
      description: `The latest ${limit} tasks for the lead`,
      input: none,
      async run() {
        const items = await crm.listTasks({ query: { ...newest, sort: '-createdAt' }, as });
        return items.map(({ title, type, status, dueAt, overdue }) => ({ title, type, status, dueAt, overdue }));
      },
    },
    {
      name: 'list_opportunities',
      description: `The latest ${limit} deals of the lead`,
      input: none,
      async run() {
        const items = await crm.listOpportunities({ query: { ...newest, sort: '-createdAt' }, as });
        return items.map(({ name, value, currency, status, stage }) => ({ name, value, currency, status, stage }));
      },
    },
  ];
}
