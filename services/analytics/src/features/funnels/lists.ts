import type { FunnelQuery, funnels, ListOfRecords } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { Period } from '../dashboard/period.ts';
import { leadSteps } from './lead-funnel.ts';
import type { Stage } from './opportunity-funnel.ts';

type List = z.output<typeof ListOfRecords>;
type BuiltIn = Pick<z.output<typeof funnels.getFunnel.query>, 'userId' | 'teamId' | 'cohortId'>;

/** The lists of the built-in funnel of leads. No list has the leads that once had a status, or those of a cohort. */
export function listsOfLeads(period: Period, { userId, teamId, cohortId }: BuiltIn): List[] {
  if (cohortId !== undefined) return [];
  const created = {
    ...createdIn(period),
    ...(userId !== undefined && { assignedTo: userId }),
    ...(teamId !== undefined && { teamId }),
  };
  const converted = leadSteps.indexOf('converted');
  return [listOf(0, '/v1/leads', created), listOf(converted, '/v1/leads', { ...created, converted: 'true' })];
}

/** The lists of the built-in funnel of opportunities. No list has the deals that once were in a stage, or those of a cohort. */
export function listsOfDeals(
  period: Period,
  { userId, teamId, cohortId, pipelineId, stages }: BuiltIn & { pipelineId: number; stages: readonly Stage[] },
): List[] {
  if (cohortId !== undefined) return [];
  const created = {
    ...createdIn(period),
    pipelineId,
    ...(userId !== undefined && { ownerId: userId }),
    ...(teamId !== undefined && { teamId }),
  };
  const won = stages.findIndex(({ isWon }) => isWon);
  return [
    listOf(0, '/v1/opportunities', created),
    ...(won > 0 ? [listOf(won, '/v1/opportunities', { ...created, status: 'won' })] : []),
  ];
}

/**
 * The list with what happened in the first step. Events are listed one by one, while a funnel counts leads. No list has the leads
 * that changed to a status or the deals that entered a stage in a period, those of a cohort, or those of all steps together.
 */
export function listsOfFirstStep(
  { steps, order, exclude = [], filter = {}, cohortId }: z.output<typeof FunnelQuery>,
  period: Period,
): List[] {
  const [first] = steps;
  if (!first || order === 'any' || cohortId !== undefined) return [];
  // An event that is both the first step and an exclusion is not counted.
  if (exclude.some(({ event, converted }) => event === first.event && converted === first.converted)) return [];
  const query = first.converted ? conversions(filter, period) : first.event ? events(first, filter, period) : undefined;
  return query ? [listOf(0, first.converted ? '/v1/leads' : '/v1/analytics/events', query)] : [];
}

type Query = z.output<typeof FunnelQuery>;

/** The list of leads has no filter by partner. */
function conversions(
  { source, status, assignedTo, teamId, partnerId }: NonNullable<Query['filter']>,
  { from, to }: Period,
): List['query'] | undefined {
  if (partnerId !== undefined) return undefined;
  return {
    convertedFrom: from,
    convertedTo: lastOf(to),
    ...(source !== undefined && { source }),
    ...(status !== undefined && { status }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(teamId !== undefined && { teamId }),
  };
}

/** The list of events has no filter by message or address, and those by user and team are of the time of the event. */
function events(
  { event, filters = {} }: Query['steps'][number],
  filter: NonNullable<Query['filter']>,
  { from, to }: Period,
): List['query'] | undefined {
  const { messageId, url, workflowExecutionId, includeAutomated } = filters;
  const isOfSomeLeads = Object.values(filter).some((value) => value !== undefined);
  if (isOfSomeLeads || messageId !== undefined || url !== undefined) return undefined;
  return {
    type: event,
    from,
    to: lastOf(to),
    ...(workflowExecutionId !== undefined && { workflowExecutionId }),
    ...(includeAutomated && { includeAutomated: 'true' as const }),
  };
}

function listOf(step: number, path: string, query: List['query']): List {
  return { number: `steps.${step}.count`, path, query };
}

function createdIn({ from, to }: Period) {
  return { createdFrom: from, createdTo: lastOf(to) };
}

/** The last instant of a period: the filters of lists include it. */
function lastOf(to: Date): Date {
  return new Date(to.getTime() - 1);
}
