import type { Tool } from '@tandem/ai';
import type { Caller } from '@tandem/caller';
import type { JobScope } from '@tandem/jobs';
import { reachOf } from '@tandem/service';
import { z } from 'zod';
import type { Lead, Tools } from '../../handler.ts';

const limit = 20;
const none = z.object({});

type As = Parameters<Tools['crm']['readLeads']>[0]['as'];

/**
 * The tools of a recommender: they read the lead of the execution and what belongs to it, with the permissions of the user
 * who runs it, because the answer shows what they read. None takes an id, so nothing in the data of a lead can lead the model
 * to another one, and none writes. Addresses and phone numbers are left out.
 */
export function leadTools(
  { crm }: Pick<Tools, 'crm'>,
  on: { lead: Lead; execution: { id: number }; user: Caller | undefined; scope: JobScope },
): Tool[] {
  const { id } = on.lead;
  const newest = { page: 1, limit, leadId: id } as const;
  const requestId = `execution_${on.execution.id}`;
  /** The tool, if the user has the permission; for a narrowed one it finds own records. */
  const under = (permission: string, toolFor: (as: As) => Tool): Tool[] => {
    const reach = on.user ? reachOf(on.user, permission) : 'none';
    if (reach === 'none') return [];
    const permissions = [...new Set(['leads:read', permission])];
    return [toolFor({ ...on.scope, requestId, permissions, ...(reach !== 'all' && { narrow: reach }) })];
  };
  return [
    ...under('leads:read', (as) => ({
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
    })),
    ...under('activities:read', (as) => ({
      name: 'list_activities',
      description: `The latest ${limit} calls, mails, meetings and notes about the lead`,
      input: none,
      async run() {
        const items = await crm.listActivities({ query: { ...newest, sort: '-occurredAt' }, as });
        return items.map(({ type, subject, outcome, occurredAt }) => ({ type, subject, outcome, occurredAt }));
      },
    })),
    ...under('tasks:read', (as) => ({
      name: 'list_tasks',
      description: `The latest ${limit} tasks for the lead`,
      input: none,
      async run() {
        const items = await crm.listTasks({ query: { ...newest, sort: '-createdAt' }, as });
        return items.map(({ title, type, status, dueAt, overdue }) => ({ title, type, status, dueAt, overdue }));
      },
    })),
    ...under('opportunities:read', (as) => ({
      name: 'list_opportunities',
      description: `The latest ${limit} deals of the lead`,
      input: none,
      async run() {
        const items = await crm.listOpportunities({ query: { ...newest, sort: '-createdAt' }, as });
        return items.map(({ name, value, currency, status, stage }) => ({ name, value, currency, status, stage }));
      },
    })),
  ];
}
