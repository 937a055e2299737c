import type { Tx } from '../../handler.ts';
import { datedNames, type MeasureName, present, presentNames } from '../counting/index.ts';
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
  const { ofLeads, ofTasks, ofPartners } = datedNames;
  const owned = [...(withoutLeads ? [] : ofLeads), ...ofTasks];
  return readSums(tx, { owned, others: ofPartners, first, last, owner });
}

/** The sums of the present. */
export function sumsOfNow(tx: Tx, { owner, withoutLeads }: Reading): Promise<Sum[]> {
  const { ofLeads, ofTasks, ofPartners } = presentNames;
  const owned = [...(withoutLeads ? [] : ofLeads), ...ofTasks];
  return readSums(tx, { owned, others: ofPartners, first: present, last: present, owner });
}

/** How many open tasks are due on a day before this one. */
export async function tasksDueBefore(tx: Tx, day: string, owner: Owner): Promise<number> {
  const sums = await readSums(tx, { owned: ['tasks.due'], others: [], first: '0001-01-02', last: day, owner });
  return sums.reduce((total, sum) => (sum.day < day ? total + sum.count : total), 0);
}

interface Wanted extends Days {
  owned: MeasureName[];
  others: MeasureName[];
  owner: Owner;
}

interface Days {
  first: string;
  last: string;
}

async function readSums(tx: Tx, { owned, others, owner: { userId, teamId }, first, last }: Wanted): Promise<Sum[]> {
  const days = { first, last };
  if (userId === undefined && teamId === undefined) return totalsOf(tx, 0, [...owned, ...others], days);
  const ofOwner =
    userId === undefined
      ? await totalsOf(tx, teamId ?? 0, owned, days)
      : await sumsOfUser(tx, { userId, teamId }, owned, days);
  return [...ofOwner, ...(await totalsOf(tx, 0, others, days))];
}

/** The totals of a team, or of all owners with 0: their number does not grow with that of users. */
function totalsOf(tx: Tx, teamId: number, names: MeasureName[], { first, last }: Days): Promise<Sum[]> {
  return tx.sql<Sum>`
    SELECT name, to_char(day, 'YYYY-MM-DD') AS day, value, sum(count)::float8 AS count, sum(amount)::float8 AS amount
    FROM measure_total
    WHERE team_id = ${teamId}::bigint AND name = ANY(${names}::text[]) AND day BETWEEN ${first}::date AND ${last}::date
    GROUP BY name, day, value`;
}

function sumsOfUser(
  tx: Tx,
  { userId, teamId = null }: { userId: number; teamId: number | null | undefined },
  names: MeasureName[],
  { first, last }: Days,
): Promise<Sum[]> {
  return tx.sql<Sum>`
    SELECT name, to_char(day, 'YYYY-MM-DD') AS day, value, sum(count)::float8 AS count, sum(amount)::float8 AS amount
    FROM measure
    WHERE user_id = ${userId}::bigint AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
      AND name = ANY(${names}::text[]) AND day BETWEEN ${first}::date AND ${last}::date
    GROUP BY name, day, value`;
}
