import { fleet } from '@tandem/gateway/contracts';
import type { sortsOf } from '@tandem/testing';
import { firstId, size } from './data.ts';
import { users } from './records.ts';

type Operation = Parameters<typeof sortsOf>[0];

/** A list, and what to send besides its declared sorts. */
export interface MeasuredList {
  row: Operation;
  name: string;
  /** The number of records. */
  count: number;
  /** The order of a deep page besides the default one. */
  deepSort: string;
  /** Further pages. */
  pages?: [what: string, query: string][];
  /** Values that records have, for every declared filter. */
  filters: Record<string, string | string[]>;
  /** Further queries, such as several filters at once. */
  queries: string[];
  searches: [what: string, text: string][];
  /** Other goals than those of crm. */
  goalMs?: { page: number; list: number; search: number };
  /** Filters whose values no record has. */
  withoutRecords?: string[];
}

export type Encode = (type: 'user' | 'team' | 'lead' | 'account' | 'opportunity' | 'partner', id: number) => string;

export interface Options {
  /** Encodes an id. */
  code: Encode;
  /** Fetches a page and returns its `nextCursor`. */
  cursor: (path: string) => Promise<string>;
  /** An open deal, whose stage and pipeline are filters. */
  deal: { stage: string; stageId: string; pipelineId: string };
}

const dayMs = 86_400_000;
/** A user who owns records, as a number from the first one. */
export const user = Math.ceil(users / 2);
const customFilters = { customFields: '[seats]=17', customFieldsMin: '[seats]=495', customFieldsMax: '[seats]=5' };

const wanted = process.env['BENCH_LISTS']?.split(',');

/** The lists with millions of records, and values for their filters. */
export function measuredLists(options: Options): MeasuredList[] {
  const lists = [leads(options.code), opportunities(options), ...recordLists(options.code)];
  return lists.filter(({ name }) => !wanted || wanted.includes(name));
}

function leads(code: Encode): MeasuredList {
  const assignee = code('user', user);
  // Ids of other systems have multiples of three.
  const external = 3 * Math.floor(size.leads * 0.3);
  return {
    row: fleet.crm.listLeads,
    name: 'leads',
    count: size.leads,
    deepSort: '-score',
    pages: [['page 500 of a status', 'page=500&status=qualified']],
    filters: {
      status: ['unqualified', 'qualified'],
      statusCode: 'qualified',
      accountId: code('account', firstId + 2),
      externalId: `EXT-${external}`,
      source: ['referral', 'web'],
      assignedTo: assignee,
      teamId: code('team', 7),
      scoreMin: '100',
      scoreMax: '1',
      tag: ['vip', 'tag7'],
      converted: ['true', 'false'],
      deleted: ['true', 'false'],
      ...customFilters,
      customFields: [`[account]=A-${external}`, '[color]=red', '[seats]=17'],
      createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)],
      createdTo: daysAgo(size.leads / 10_000),
    },
    queries: [
      'scoreMin=20&scoreMax=60',
      'tag=none',
      'status=qualified&sort=-score',
      `assignedTo=${assignee}&sort=score`,
      'tag=vip&sort=lastName',
      'status=new&source=referral&tag=tag7',
      'scoreMax=1&sort=-score',
    ],
    searches: [
      ['one lead', `EXT-${external}`],
      ['a rare name', 'jorandez'],
      ['a name that no lead has', 'no such lead'],
      ['a common name', 'moran'],
      ['a word that every lead has', 'example'],
      ['two letters', 'zz'],
    ],
  };
}

function opportunities({ code, deal }: Options): MeasuredList {
  return {
    row: fleet.crm.listOpportunities,
    name: 'opportunities',
    count: size.opportunities,
    deepSort: '-value',
    filters: {
      stage: deal.stage,
      stageId: deal.stageId,
      pipelineId: deal.pipelineId,
      status: 'won',
      ownerId: code('user', user),
      teamId: code('team', 7),
      leadId: code('lead', firstId + 2),
      accountId: code('account', firstId + 2),
      partnerId: code('partner', 3),
      staleDays: '30',
      deleted: 'false',
      ...customFilters,
      currency: 'USD',
      valueMin: String(Math.floor(size.opportunities * 0.995)),
      valueMax: '1000',
      closeFrom: daysAgo(-360),
      closeTo: daysAgo(-5),
      createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)],
      createdTo: daysAgo(size.opportunities / 1_000),
    },
    queries: ['sort=-value&status=won', `ownerId=${code('user', user)}&sort=expectedCloseAt`],
    searches: [
      ['one', 'c4ca4238a0b9'],
      ['a deal that does not exist', 'no such deal'],
    ],
  };
}

function recordLists(code: Encode): MeasuredList[] {
  const [me, team] = [code('user', user), code('team', 7)];
  const created = { createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)], createdTo: daysAgo(100) };
  const lead = code('lead', firstId + 2);
  const accounts: MeasuredList = {
    row: fleet.crm.listAccounts,
    name: 'accounts',
    count: size.accounts,
    deepSort: 'name',
    filters: {
      ...created,
      ...customFilters,
      ...{ ownerId: me, teamId: team, domain: 'company77.example', industry: 'energy', tag: 'key' },
      ...{ parentAccountId: code('account', firstId + 4), deleted: ['true', 'false'] },
    },
    queries: [`industry=energy&ownerId=${me}`],
    searches: [
      ['one', 'c4ca4238a0b9'],
      ['a company that does not exist', 'no such company'],
      ['a word that every account has', 'company'],
    ],
  };
  const tasks: MeasuredList = {
    row: fleet.crm.listTasks,
    name: 'tasks',
    count: size.tasks,
    deepSort: 'title',
    filters: {
      partnerId: code('partner', 3),
      ...created,
      ...{
        status: ['pending', 'completed'],
        type: 'call',
        priority: 'urgent',
        assignedTo: me,
        teamId: team,
        mine: 'true',
      },
      ...{ leadId: lead, opportunityId: code('opportunity', firstId + 1), overdue: 'true', deleted: ['true', 'false'] },
      ...{ dueFrom: daysAgo(2), dueTo: daysAgo(590) },
    },
    queries: [`assignedTo=${me}&status=pending&sort=dueAt`, 'overdue=true&sort=dueAt'],
    searches: [
      ['one', 'c4ca4238a0b9'],
      ['a task that does not exist', 'no such task'],
    ],
    withoutRecords: ['partnerId'],
  };
  const activities: MeasuredList = {
    row: fleet.crm.listActivities,
    name: 'activities',
    count: size.activities,
    deepSort: 'createdAt',
    filters: {
      ...created,
      ...{ type: 'call', system: ['true', 'false'], userId: me, leadId: lead, accountId: code('account', firstId + 1) },
      ...{ opportunityId: code('opportunity', firstId + 1), partnerId: code('partner', 3) },
      ...{ occurredFrom: daysAgo(2), occurredTo: daysAgo(300) },
    },
    queries: [`userId=${me}&type=call`],
    searches: [],
    withoutRecords: ['opportunityId', 'partnerId'],
  };
  const events: MeasuredList = {
    row: fleet.crm.listCalendarEvents,
    name: 'calendar events',
    count: size.events,
    deepSort: '-startAt',
    filters: {
      ...created,
      ...{ status: 'scheduled', organizerId: me, leadId: code('lead', firstId + 3) },
      ...{ opportunityId: code('opportunity', firstId + 6), startFrom: daysAgo(1), startTo: daysAgo(700) },
    },
    queries: [`organizerId=${me}&sort=startAt`],
    searches: [
      ['one', 'c4ca4238a0b9'],
      ['an event that does not exist', 'no such event'],
    ],
  };
  return [accounts, tasks, activities, events];
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString();
}
