import { engagementTypes } from '@tandem/analytics-contract';
import type { Tx } from '../../handler.ts';
import { type MeasureName, present } from '../counting/index.ts';
import type { Period } from './period.ts';

/** Whose records are counted; everybody's without fields. */
export interface Owner {
  userId?: number | undefined;
  teamId?: number | undefined;
}

/** What was counted on a day, or of the present. */
export interface Sum {
  name: MeasureName;
  /** Empty for a sum of the present. */
  day: string;
  value: string;
  count: number;
  amount: number;
}

/** Sums of leads with their opportunities and events, other sums of records with an owner, and sums of partners, which have none. */
const ofLeadsByDay: MeasureName[] = [
  ...(['leads.new', 'leads.converted', 'leads.conversions'] as const),
  ...(['opportunities.new', 'opportunities.won', 'opportunities.lost', 'opportunities.cycle'] as const),
  ...engagementTypes.map((type) => `engagement.${type}` as const),
];
const ofTasksByDay: MeasureName[] = ['tasks.completed'];
const ofPartnersByDay: MeasureName[] = ['commissions.earned'];
const ofLeadsNow: MeasureName[] = ['leads.status', 'leads.source', 'opportunities.status', 'opportunities.pipeline'];
const ofTasksNow: MeasureName[] = ['tasks.open'];
const ofPartnersNow: MeasureName[] = ['partners.status'];

/** The owner of the sums to read. */
export interface Reading {
  owner: Owner;
  /** Whether those of leads, with their opportunities and events, are left out. */
  withoutLeads: boolean;
}

/** The sums of the days of a period, which must be days of the time zone by which the tenant is counted. */
export function sumsOfDays(
  tx: Tx,
  { first, last }: Pick<Period, 'first' | 'last'>,
  { owner, withoutLeads }: Reading,
): Promise<Sum[]> {
  const owned = [...(withoutLeads ? [] : ofLeadsByDay), ...ofTasksByDay];
  return readSums(tx, { owned, others: ofPartnersByDay, first, last, owner });
}

/** The sums of the present. */
export function sumsOfNow(tx: Tx, { owner, withoutLeads }: Reading): Promise<Sum[]> {
  const owned = [...(withoutLeads ? [] : ofLeadsNow), ...ofTasksNow];
  return readSums(tx, { owned, others: ofPartnersNow, first: present, last: present, owner });
}

/** How many open tasks are due on a day before this one. */
export async function tasksDueBefore(tx: Tx, day: string, owner: Owner): Promise<number> {
  const sums = await readSums(tx, { owned: ['tasks.due'], others: [], first: '0001-01-02', last: day, owner });
  return sums.reduce((total, sum) => (sum.day < day ? total + sum.count : total), 0);
}

interface Wanted {
  owned: MeasureName[];
  others: MeasureName[];
  first: string;
  last: string;
  owner: Owner;
}

function readSums(tx: Tx, { owned, others, first, last, owner }: Wanted): Promise<Sum[]> {
  const { userId = null, teamId = null } = owner;
  return tx.sql<Sum>`
    SELECT name, to_char(day, 'YYYY-MM-DD') AS day, value, sum(count)::float8 AS count, sum(amount)::float8 AS amount
    FROM measure
    WHERE (name = ANY(${owned}::text[]) AND day BETWEEN ${first}::date AND ${last}::date
        AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
        AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint))
      OR (name = ANY(${others}::text[]) AND day BETWEEN ${first}::date AND ${last}::date)
    GROUP BY name, day, value`;
}
