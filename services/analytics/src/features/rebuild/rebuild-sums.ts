import { fail } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import { addDays, dayOf, monthAfter, startOfDay } from '@tandem/time-zones';
import type { Tx } from '../../handler.ts';
import { datedNames, engagementNames, holdCounting, present, presentNames, readTimezone } from '../counting/index.ts';
import { countedEvents } from '../events/count-events.ts';
import type { Counted } from '../facts/fact.ts';
import { factKinds } from '../facts/index.ts';
import { eventsKeptSince } from '../retention/index.ts';

// The records of one sum, or the events of one month, are read by one statement.
const statementMs = 25_000;
const namesOf = (names: typeof datedNames) => Object.values(names).flat();
const factNames = namesOf(datedNames).filter((name) => !engagementNames.includes(name));
const all = (part: keyof Counted): Fragment =>
  factKinds.map(({ counted }) => counted[part]).reduce((some, other) => fragment`${some} UNION ALL ${other}`);
const datedFacts = fragment`SELECT * FROM (${all('dated')}) AS fact WHERE at IS NOT NULL`;
const presentFacts = all('present');

/**
 * Corrects a part of the sums by the facts and events that are stored: those of the present, then those of each name by day, then
 * those of events month by month. A statement sees sums and records as of the same moment, so records that are counted meanwhile
 * are counted once.
 * @param after the part before; null for the first one
 */
export async function rebuildSums(tx: Tx, after: number | null) {
  const { timezone } = await holdCounting(tx);
  if ((await readTimezone(tx)).isChanging) throw fail('recounting');
  await tx.sql`SELECT set_config('statement_timeout', ${String(statementMs)}, true)`;
  const part = (after ?? -1) + 1;
  const found = (counts: { written: number }, next: number | null) => ({ read: 0, removed: 0, ...counts, next });
  if (part === 0)
    return found(await correct(tx, { names: namesOf(presentNames), counted: presentFacts, ...always, timezone }), part);
  const name = factNames[part - 1];
  if (name) return found(await correct(tx, { names: [name], counted: datedFacts, ...always, timezone }), part);
  const months = await monthsOfEvents(tx, timezone);
  const month = months[part - 1 - factNames.length];
  if (!month) return found({ written: 0 }, null);
  return found(await correct(tx, { names: engagementNames, counted: countedEvents, ...month, timezone }), part);
}

/** The days of a part of the sums: those of `from` and until the one before `to`. */
interface Days {
  from: string;
  to: string;
}
const always: Days = { from: '0001-01-01', to: '9999-01-01' };

interface Part extends Days {
  names: readonly string[];
  /** The records that count, by the time `at`; null for the present. */
  counted: Fragment;
  timezone: string;
}

async function correct(tx: Tx, { names, counted, from, to, timezone }: Part): Promise<{ written: number }> {
  const [begin, end] = from === always.from ? [null, null] : [startOfDay(from, timezone), startOfDay(to, timezone)];
  const [row] = await tx.sql<{ written: number }>`
    WITH difference AS (
      SELECT name, day, value, user_id, team_id, sum(count) AS count, round(sum(amount), 4) AS amount FROM (
        SELECT name, day, value, user_id, team_id, count(*) AS count, sum(amount) AS amount FROM (
          SELECT name, coalesce((at AT TIME ZONE ${timezone}::text)::date, ${present}::date) AS day, value,
            coalesce(user_id, 0) AS user_id, coalesce(team_id, 0) AS team_id, amount
          FROM (${counted}) AS record WHERE name = ANY(${[...names]}::text[])
            AND (${begin}::timestamptz IS NULL OR at >= ${begin}::timestamptz) AND (${end}::timestamptz IS NULL OR at < ${end}::timestamptz)
        ) AS dated GROUP BY 1, 2, 3, 4, 5
        UNION ALL
        SELECT name, day, value, user_id, team_id, -count, -amount FROM measure
        WHERE name = ANY(${[...names]}::text[]) AND day >= ${from}::date AND day < ${to}::date) AS either
      GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0 OR round(sum(amount), 4) <> 0),
    written AS (
      INSERT INTO measure (name, day, value, user_id, team_id, shard, count, amount)
      SELECT name, day, value, user_id, team_id, 0, count, amount FROM difference ORDER BY name, day, value, user_id, team_id
      ON CONFLICT (tenant_id, environment, name, day, value, user_id, team_id, shard) DO UPDATE
        SET count = measure.count + excluded.count, amount = measure.amount + excluded.amount
      RETURNING 1)
    SELECT count(*)::int AS written FROM written`;
  return { written: row?.written ?? 0 };
}

/** The months of events and of their sums. Those whose events were removed keep their sums. */
async function monthsOfEvents(tx: Tx, timezone: string): Promise<Days[]> {
  const [span] = await tx.sql<{ first: string | null; last: string | null }>`
    SELECT to_char(least(min(day), (SELECT min(timestamp) AT TIME ZONE ${timezone}::text FROM engagement_event)), 'YYYY-MM-DD') AS first,
      to_char(greatest(max(day), (SELECT max(timestamp) AT TIME ZONE ${timezone}::text FROM engagement_event)), 'YYYY-MM-DD') AS last
    FROM measure_total WHERE team_id = 0 AND name = ANY(${engagementNames}::text[])`;
  if (!span?.first || !span.last) return [];
  const kept = await eventsKeptSince(tx);
  const first = kept ? addDays(dayOf(kept, timezone), 1) : span.first;
  const months: Days[] = [];
  for (let from = first; from <= span.last; ) {
    const to = `${monthAfter(from.slice(0, 'YYYY-MM'.length))}-01`;
    months.push({ from, to });
    from = to;
  }
  return months;
}
