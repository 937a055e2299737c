import type { engagement } from '@tandem/analytics-contract';
import { filteredLeadsMax } from '@tandem/crm-contract';
import { reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { visibleLeads } from '../predictions/visible-leads.ts';
import { warnOfRemovedEvents } from '../retention/index.ts';
import { asEvent } from './event.ts';

type Row = typeof engagement.listRecordedEvents;
type Query = z.output<Row['query']>;
type NarrowedList = Extract<Handler<Row, number[] | undefined>, { check: unknown }>;

// The latest events, with whose leads crm is asked which of them a caller with narrowed `leads:read` may read.
const consideredMax = 10_000;

export const listRecordedEvents = (peers: Peers): NarrowedList => ({
  async check({ query, caller, tx }) {
    if (reachOf(caller, 'leads:read') === 'all') return undefined;
    return visibleLeads(peers, await leadsOf(tx, query), caller);
  },
  run: listEvents,
});

const listEvents: NarrowedList['run'] = async ({ query, tx, list, missing, found: leadIds }) => {
  const page = await list({
    model: tx.engagementEvent,
    where: { ...whereOf(query), ...(leadIds && { leadId: { in: leadIds } }) },
  });
  if (query.from) await warnOfRemovedEvents({ tx, missing }, { part: 'data', from: query.from });
  return { ...page, items: page.items.map(asEvent) };
};

async function leadsOf(tx: Tx, query: Query): Promise<number[]> {
  if (query.leadId !== undefined) return [query.leadId];
  const latest = await tx.engagementEvent.findMany({
    where: { ...whereOf(query), leadId: { not: null } },
    select: { leadId: true },
    orderBy: { timestamp: 'desc' },
    take: consideredMax,
  });
  return [...new Set(latest.flatMap(({ leadId }) => leadId ?? []))].slice(0, filteredLeadsMax);
}

function whereOf({ type, leadId, workflowExecutionId, assignedTo, teamId, from, to, includeAutomated }: Query) {
  return {
    ...(type && { type }),
    ...(leadId !== undefined && { leadId }),
    ...(workflowExecutionId && { workflowExecutionId }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(teamId !== undefined && { teamId }),
    ...(!includeAutomated && { automated: false }),
    ...((from || to) && { timestamp: { ...(from && { gte: from }), ...(to && { lte: to }) } }),
  };
}
