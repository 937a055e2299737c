import type { FunnelQuery } from '@tandem/analytics-contract';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Members } from '../cohort-definitions/members.ts';

type Query = z.output<typeof FunnelQuery>;
type Happening = Pick<Query['steps'][number], 'event' | 'leadStatus' | 'stage' | 'converted' | 'filters'>;

/** Something that happens to leads, and the bit that is set in the entries of it. */
export type Wanted = Happening & { bit: number };

/** Which entries of leads are read. */
export interface EntriesQuery {
  wanted: readonly Wanted[];
  from: Date;
  /** The time of the last entry. */
  until: Date;
  filter?: Query['filter'];
  /** The cohort that limits the leads. */
  members: Members;
}

/**
 * Reads what happened to leads as packed rows (timeline.ts). The value of a row has the bits of everything wanted that it is.
 * Deleted leads are left out.
 * @param max how many rows are read; one more is returned if there are more
 */
export async function readEntries(tx: Tx, query: EntriesQuery, max: number): Promise<Buffer> {
  // Packed by PostgreSQL, because reading a million rows one by one would keep the process busy for seconds.
  const packed = fragment`string_agg(int8send(lead_id) || timestamptz_send(at) || int4send(bits), ''::bytea) AS rows`;
  const [read] = await selectEntries<{ rows: Buffer | null }>(tx, query, { columns: packed, max: max + 1 });
  return read?.rows ?? Buffer.alloc(0);
}

/** The columns of the facts of leads by which they can be grouped. */
const groupColumns = {
  source: fragment`source`,
  status: fragment`status`,
  assignedTo: fragment`user_id`,
  teamId: fragment`team_id`,
  partnerId: fragment`partner_id`,
} as const;
export type GroupField = keyof typeof groupColumns;

/** Leads with the same value in a field; null for those without one. `leads` has eight bytes for each. */
export interface LeadGroup {
  value: string | null;
  leads: Buffer;
}

/** The leads with entries by the value of a field, the values with most leads first. */
export function readGroups(tx: Tx, query: EntriesQuery, { field, max }: { field: GroupField; max: number }) {
  const columns = fragment`lead_fact.${groupColumns[field]}::text AS value, string_agg(int8send(lead_fact.id), ''::bytea) AS leads`;
  const grouped = fragment`JOIN lead_fact ON lead_fact.id = lead_id GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 50`;
  return selectEntries<LeadGroup>(tx, query, { columns, max, grouped });
}

// Positions in the arrays of conditions: at most 10 steps and 5 exclusions.
const positions = [
  ...[fragment`1`, fragment`2`, fragment`3`, fragment`4`, fragment`5`, fragment`6`, fragment`7`, fragment`8`],
  ...[fragment`9`, fragment`10`, fragment`11`, fragment`12`, fragment`13`, fragment`14`, fragment`15`],
];
const given = (column: Fragment, position: Fragment) => fragment`(SELECT ${column}[${position}] FROM given)`;
const all = (conditions: Fragment[]) => conditions.reduce((joined, condition) => fragment`${joined} AND ${condition}`);
const isTrue = (condition: boolean) => (condition ? fragment`true` : fragment`false`);

/** The bits of an entry: those of each thing wanted whose conditions it meets. */
function bitsOf(
  wanted: readonly Wanted[],
  conditionsOf: (one: Wanted, at: Fragment) => Fragment[] | undefined,
): Fragment {
  return wanted.reduce((bits, one, index) => {
    const at = positions[index] as Fragment;
    const conditions = conditionsOf(one, at);
    if (!conditions) return bits;
    return fragment`${bits} | CASE WHEN ${all(conditions)} THEN 1 << ${given(fragment`bits`, at)} ELSE 0 END`;
  }, fragment`0`);
}

function eventConditions({ event, filters = {} }: Wanted, at: Fragment): Fragment[] | undefined {
  if (!event) return undefined;
  const { messageId, workflowExecutionId, url, includeAutomated } = filters;
  return [
    fragment`type = ${given(fragment`events`, at)}`,
    ...(includeAutomated ? [] : [fragment`NOT automated`]),
    ...(messageId === undefined ? [] : [fragment`message_id = ${given(fragment`messages`, at)}`]),
    ...(workflowExecutionId === undefined
      ? []
      : [fragment`workflow_execution_id = ${given(fragment`executions`, at)}`]),
    ...(url === undefined ? [] : [fragment`properties ->> 'url' = ${given(fragment`urls`, at)}`]),
  ];
}

function valueConditions(field: 'leadStatus' | 'stage', column: Fragment) {
  return (one: Wanted, at: Fragment): Fragment[] | undefined =>
    one[field] === undefined ? undefined : [fragment`value = ${given(column, at)}`];
}

interface Selection {
  columns: Fragment;
  /** The most entries, or leads if they are grouped. */
  max: number;
  grouped?: Fragment;
}

function selectEntries<Row extends object>(
  tx: Tx,
  query: EntriesQuery,
  { columns, max, grouped }: Selection,
): Promise<Row[]> {
  const { wanted, from, until, filter = {}, members } = query;
  const values = <Field extends 'event' | 'leadStatus' | 'stage'>(field: Field) =>
    wanted.flatMap((one) => one[field] ?? []);
  const [events, statuses, stages] = [values('event'), values('leadStatus'), values('stage')];
  const { source = null, status = null, assignedTo = null, teamId = null, partnerId = null } = filter;
  const isFiltered = Object.keys(filter).length > 0;
  const bits = bitsOf(wanted, eventConditions);
  // Computing the bits of a million events once more, to see whether there are any, takes a third of a second.
  const isWanted = wanted.some(({ filters }) => filters) ? fragment`(${bits}) <> 0` : fragment`NOT automated`;
  const entries = grouped ? fragment`DISTINCT lead_id` : fragment`lead_id, at, bits`;
  return tx.adHocSql<Row>`
    WITH cohort AS MATERIALIZED (SELECT ${members.given}::jsonb AS given), member AS MATERIALIZED (${members.query}),
    given AS MATERIALIZED (SELECT * FROM jsonb_to_record(${conditionsOf(wanted)}::jsonb)
      AS row (bits int[], events text[], statuses text[], stages text[], messages text[], executions text[], urls text[]))
    SELECT ${columns} FROM (SELECT ${entries} FROM (
      SELECT lead_id, timestamp AS at, ${bits} AS bits
        FROM engagement_event WHERE ${isTrue(events.length > 0)} AND type = ANY(${events}::text[]) AND lead_id IS NOT NULL AND ${isWanted}
          AND timestamp >= ${from}::timestamptz AND timestamp <= ${until}::timestamptz
      UNION ALL
      SELECT record_id, at, ${bitsOf(wanted, valueConditions('leadStatus', fragment`statuses`))}
        FROM step WHERE ${isTrue(statuses.length > 0)} AND type = 'lead' AND value = ANY(${statuses}::text[])
          AND at >= ${from}::timestamptz AND at <= ${until}::timestamptz
      UNION ALL
      SELECT deal.lead_id, at, ${bitsOf(wanted, valueConditions('stage', fragment`stages`))}
        FROM step JOIN (SELECT id, lead_id FROM opportunity_fact WHERE lead_id IS NOT NULL AND NOT is_deleted) AS deal
          ON deal.id = record_id
        WHERE ${isTrue(stages.length > 0)} AND type = 'opportunity' AND value = ANY(${stages}::text[])
          AND at >= ${from}::timestamptz AND at <= ${until}::timestamptz
      UNION ALL
      SELECT id, converted_at, ${bitsOf(wanted, ({ converted }) => (converted ? [fragment`true`] : undefined))}
        FROM lead_fact WHERE ${isTrue(wanted.some(({ converted }) => converted))}
          AND converted_at >= ${from}::timestamptz AND converted_at <= ${until}::timestamptz) AS entry
    WHERE lead_id NOT IN (SELECT id FROM lead_fact WHERE is_deleted) AND ${members.has(fragment`lead_id`)}
      AND (NOT ${isFiltered}::boolean OR lead_id IN (SELECT id FROM lead_fact
        WHERE (${source}::text IS NULL OR source = ${source}::text) AND (${status}::text IS NULL OR status = ${status}::text)
          AND (${assignedTo}::bigint IS NULL OR user_id = ${assignedTo}::bigint)
          AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)
          AND (${partnerId}::bigint IS NULL OR partner_id = ${partnerId}::bigint)))
    LIMIT ${max}::bigint) AS entry ${grouped ?? fragment``}`;
}

/** The conditions as arrays: the n-th element of each belongs to the n-th thing wanted. */
function conditionsOf(wanted: readonly Wanted[]): string {
  return JSON.stringify({
    bits: wanted.map(({ bit }) => bit),
    events: wanted.map(({ event }) => event ?? null),
    statuses: wanted.map(({ leadStatus }) => leadStatus ?? null),
    stages: wanted.map(({ stage }) => stage ?? null),
    messages: wanted.map(({ filters }) => filters?.messageId ?? null),
    executions: wanted.map(({ filters }) => filters?.workflowExecutionId ?? null),
    urls: wanted.map(({ filters }) => filters?.url ?? null),
  });
}
