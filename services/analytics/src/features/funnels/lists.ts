import type { FunnelQuery, ListOfRecords } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { Period } from '../dashboard/period.ts';

/**
 * The list with what happened in the first step. Events are listed one by one, while a funnel counts leads. No list has the leads
 * that changed to a status or the deals that entered a stage in a period, or those of a cohort.
 */
export function listsOfFirstStep(
  { steps, order, filter = {}, cohortId }: z.output<typeof FunnelQuery>,
  { from, to }: Period,
): z.output<typeof ListOfRecords>[] {
  const [first] = steps;
  const last = new Date(to.getTime() - 1);
  if (!first || order === 'any' || cohortId !== undefined) return [];
  const { source, assignedTo, teamId } = filter;
  const ofLeads = {
    ...(source !== undefined && { source }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(teamId !== undefined && { teamId }),
  };
  if (first.converted)
    return [
      { number: 'steps.0.count', path: '/v1/leads', query: { ...ofLeads, convertedFrom: from, convertedTo: last } },
    ];
  if (!first.event) return [];
  const machines = first.filters?.includeAutomated ? ({ includeAutomated: 'true' } as const) : {};
  return [
    {
      number: 'steps.0.count',
      path: '/v1/analytics/events',
      query: { type: first.event, from, to: last, ...machines },
    },
  ];
}
