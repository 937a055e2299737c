import type { ListOfRecords } from '@tandem/analytics-contract';
import type { z } from 'zod';
import { noSource } from '../facts/no-source.ts';
import type { Period } from './period.ts';
import type { Owner } from './sums.ts';

type List = z.output<typeof ListOfRecords>;

/**
 * The lists whose records the numbers of a dashboard count. Numbers without an entry are sums, rates, or count each message once,
 * which no list does, or events of which some were removed, or leads of a cohort, by which no list can be filtered.
 */
export function listsOf(
  { from, to }: Period,
  { userId, teamId }: Owner,
  shown: { statuses: readonly string[]; sources: readonly string[]; hasEvents: boolean; isOfCohort: boolean },
): List[] {
  const within = <Field extends string>(field: Field) => {
    // The last instant of the period: the filters of lists include it.
    const range = { [`${field}From`]: from, [`${field}To`]: new Date(to.getTime() - 1) };
    return range as { [Key in `${Field}From` | `${Field}To`]: Date };
  };
  const ofTeam = teamId === undefined ? {} : { teamId };
  const assigned = { ...ofTeam, ...(userId !== undefined && { assignedTo: userId }) };
  const owned = { ...ofTeam, ...(userId !== undefined && { ownerId: userId }) };
  const at = { from, to: new Date(to.getTime() - 1) };
  const list = (path: string) => (number: string, query: List['query']) => ({ number, path, query });
  const leads = list('/v1/leads');
  const opportunities = list('/v1/opportunities');
  const partners = list('/v1/partners');
  const tasks = list('/v1/tasks');
  const events = (number: string, type: string, query: List['query'] = {}) =>
    list('/v1/analytics/events')(`engagement.${number}`, { ...assigned, ...at, type, ...query });
  const withMachines = { includeAutomated: 'true' } as const;
  const lists = [
    leads('leads.total', assigned),
    ...shown.statuses.map((status) => leads(`leads.byStatus.${status}`, { ...assigned, status })),
    // No filter finds leads without a source.
    ...shown.sources
      .filter((source) => source !== noSource)
      .map((source) => leads(`leads.bySource.${source}`, { ...assigned, source })),
    leads('leads.new', { ...assigned, ...within('created') }),
    leads('leads.converted', { ...assigned, ...within('created'), converted: 'true' }),
    leads('leads.conversions', { ...assigned, ...within('converted') }),
    opportunities('opportunities.open', { ...owned, status: 'open' }),
    opportunities('opportunities.new', { ...owned, ...within('created') }),
    opportunities('opportunities.won', { ...owned, status: 'won', ...within('closed') }),
    opportunities('opportunities.lost', { ...owned, status: 'lost', ...within('closed') }),
    partners('partners.active', { status: 'approved' }),
    partners('partners.pending', { status: 'pending' }),
    list('/v1/partners/commissions')('partners.commissions.count', { ...within('created'), cancelled: 'false' }),
    events('sent', 'email_sent', withMachines),
    events('opens', 'email_open', withMachines),
    events('humanOpens', 'email_open'),
    events('clicks', 'link_click'),
    events('bounces', 'email_bounce', withMachines),
    events('complaints', 'email_complaint', withMachines),
    events('smsSent', 'sms_sent', withMachines),
    events('formSubmissions', 'form_submission', withMachines),
    events('pageVisits', 'page_visit'),
    tasks('tasks.open', { ...assigned, open: 'true' }),
    tasks('tasks.overdue', { ...assigned, overdue: 'true' }),
    tasks('tasks.completed', { ...assigned, status: 'completed', ...within('completed') }),
  ];
  const hidden = [
    ...(shown.isOfCohort ? ['leads', 'opportunities', 'engagement'] : []),
    ...(shown.hasEvents ? [] : ['engagement']),
  ];
  return lists.filter(({ number }) => !hidden.includes(number.split('.')[0] as string));
}
