import type { CohortFilter } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

type Filter = z.output<typeof CohortFilter>;

/** Which leads a query is limited to: those stored for a static cohort, or those that meet a filter. */
export interface Cohort {
  id: number;
  isStatic: boolean;
  filter: Filter;
}

/**
 * The leads of a cohort in a statement, which begins with
 * `WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given), member AS MATERIALIZED (${query})`.
 */
export interface Members {
  /** The values of the conditions, because a fragment has none. */
  given: string;
  query: Fragment;
  /** The condition that a column has a lead of the cohort; true without a cohort. */
  has(lead: Fragment): Fragment;
}

const eventsMax = 3_000_000;

/** Reads the leads of a cohort, or without one, of all leads. Call it where many rows may be read. */
export async function readMembers(tx: Tx, cohort: Cohort | undefined): Promise<Members> {
  if (!cohort)
    return { given: '{}', query: fragment`SELECT NULL::bigint AS id WHERE false`, has: () => fragment`true` };
  if (!cohort.isStatic) await checkEvents(tx, cohort.filter);
  return membersOf(cohort);
}

/** Which of these leads are in a cohort. */
export async function membersAmong(tx: Tx, cohort: Cohort, leadIds: number[]): Promise<Set<number>> {
  const { given, query } = membersOf(cohort, leadIds);
  const rows = await tx.sql<{ id: number }>`
    WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given) SELECT id FROM (${query}) AS member`;
  return new Set(rows.map(({ id }) => id));
}

/** @param among limits the leads to these */
function membersOf({ id, isStatic, filter }: Cohort, among?: number[]): Members {
  const conditions = [
    // A fact without a version is that of a record which is not known yet.
    ...[fragment`NOT is_deleted`, fragment`version >= 0`],
    ...(among ? [fragment`id = ANY(${givenList(fragment`'ids'`, fragment`bigint`)})`] : []),
    ...(isStatic ? [isStored] : fieldConditions(filter)),
  ];
  const { did, didNot } = isStatic ? {} : filter;
  return {
    given: JSON.stringify({ ...(isStatic ? { cohortId: id } : valuesOf(filter)), ...(among && { ids: among }) }),
    query: fragment`${did || didNot ? fragment`WITH deed AS (${deeds(among !== undefined)})` : fragment``}
      SELECT id FROM lead_fact WHERE ${all([...conditions, ...deedConditions({ did, didNot })])}`,
    has: (lead) => fragment`${lead} IN (SELECT id FROM member)`,
  };
}

const isStored = isIn(
  fragment`id`,
  fragment`SELECT lead_id FROM cohort_member WHERE cohort_id = ${givenValue(fragment`'cohortId'`, fragment`bigint`)}`,
);

/** The conditions on the fact of a lead that a filter has. */
const fieldColumns = {
  sources: fragment`source = ANY(${givenList(fragment`'sources'`, fragment`text`)})`,
  statuses: fragment`status = ANY(${givenList(fragment`'statuses'`, fragment`text`)})`,
  assignedTo: fragment`user_id = ${givenValue(fragment`'assignedTo'`, fragment`bigint`)}`,
  teamId: fragment`team_id = ${givenValue(fragment`'teamId'`, fragment`bigint`)}`,
  partnerId: fragment`partner_id = ${givenValue(fragment`'partnerId'`, fragment`bigint`)}`,
  createdFrom: fragment`created_at >= ${givenValue(fragment`'createdFrom'`, fragment`timestamptz`)}`,
  createdTo: fragment`created_at <= ${givenValue(fragment`'createdTo'`, fragment`timestamptz`)}`,
  convertedFrom: fragment`converted_at >= ${givenValue(fragment`'convertedFrom'`, fragment`timestamptz`)}`,
  convertedTo: fragment`converted_at <= ${givenValue(fragment`'convertedTo'`, fragment`timestamptz`)}`,
} satisfies { [Field in Exclude<keyof Filter, 'did' | 'didNot'>]-?: Fragment };

function fieldConditions(filter: Filter): Fragment[] {
  return Object.entries(fieldColumns).flatMap(([field, condition]) => (field in filter ? [condition] : []));
}

/** The leads that meet a condition on events, with its number. */
function deeds(isAmong: boolean): Fragment {
  return fragment`SELECT lead_id, n, "isNot" FROM engagement_event AS event
    JOIN (SELECT one.* FROM cohort, jsonb_to_recordset(given -> 'deeds') AS one (n int, "isNot" boolean, "minCount" int,
        type text, "from" timestamptz, "to" timestamptz, "messageId" text, "workflowExecutionId" text, url text, automated boolean)) AS wanted
      ON wanted.type = event.type AND event.timestamp >= coalesce("from", '-infinity') AND event.timestamp <= coalesce("to", 'infinity')
        AND (NOT event.automated OR wanted.automated)
        AND ("messageId" IS NULL OR message_id = "messageId")
        AND ("workflowExecutionId" IS NULL OR workflow_execution_id = "workflowExecutionId")
        AND (url IS NULL OR properties ->> 'url' = url)
    WHERE ${inSpan} AND lead_id ${isAmong ? fragment`= ANY(${givenList(fragment`'ids'`, fragment`bigint`)})` : fragment`IS NOT NULL`}
    GROUP BY lead_id, n, "isNot" HAVING count(*) >= max("minCount")`;
}

/** Events of the types and the time of all conditions, so that each event is read once. */
const inSpan = fragment`event.type = ANY(${givenList(fragment`'types'`, fragment`text`)})
  AND event.timestamp >= ${givenValue(fragment`'since'`, fragment`timestamptz`)}
  AND event.timestamp <= ${givenValue(fragment`'until'`, fragment`timestamptz`)}`;

function deedConditions({ did, didNot }: Pick<Filter, 'did' | 'didNot'>): Fragment[] {
  return [
    ...(did
      ? [
          isIn(
            fragment`id`,
            fragment`SELECT lead_id FROM deed WHERE NOT "isNot" GROUP BY lead_id
              HAVING count(*) = ${givenValue(fragment`'didCount'`, fragment`int`)}`,
          ),
        ]
      : []),
    ...(didNot ? [fragment`id NOT IN (SELECT lead_id FROM deed WHERE "isNot")`] : []),
  ];
}

function valuesOf({ did = [], didNot = [], ...fields }: Filter): object {
  const all = [...did.map((one) => ({ isNot: false, ...one })), ...didNot.map((one) => ({ isNot: true, ...one }))];
  const deeds = all.map(({ filters: { includeAutomated = false, ...filters } = {}, ...deed }, n) => ({
    ...{ n, minCount: 1, automated: includeAutomated },
    ...filters,
    ...deed,
  }));
  const times = (end: 'from' | 'to') => deeds.map((deed) => deed[end]?.getTime() ?? Number.NaN);
  return {
    ...fields,
    ...{ deeds, types: [...new Set(deeds.map(({ type }) => type))], didCount: did.length },
    ...{
      since: timeOf(Math.min(...times('from'))) ?? '-infinity',
      until: timeOf(Math.max(...times('to'))) ?? 'infinity',
    },
  };
}

/** Undefined if a condition has no bound, or if there are no conditions. */
function timeOf(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined;
}

/** A cohort must not read more events than a funnel. */
async function checkEvents(tx: Tx, filter: Filter): Promise<void> {
  if (!filter.did && !filter.didNot) return;
  const [read] = await tx.sql<{ count: number }>`
    WITH cohort AS MATERIALIZED (SELECT ${JSON.stringify(valuesOf(filter))}::jsonb AS given)
    SELECT count(*)::float8 AS count FROM (
      SELECT FROM engagement_event AS event WHERE ${inSpan} LIMIT ${eventsMax + 1}::int) AS event`;
  if ((read?.count ?? 0) > eventsMax) throw fail('too_many_events');
}

// Converted inside of the subquery: with a conversion beside it, row-level security keeps a condition out of index scans.
function givenValue(field: Fragment, type: Fragment): Fragment {
  return fragment`(SELECT (given ->> ${field})::${type} FROM cohort)`;
}

function givenList(field: Fragment, type: Fragment): Fragment {
  return fragment`ARRAY(SELECT jsonb_array_elements_text(given -> ${field})::${type} FROM cohort)`;
}

/**
 * Whether a lead is in a set that PostgreSQL expects to be small. `IS TRUE` makes it hash the set; otherwise it would look each
 * member up in the table. A set that it expects to be large must be joined instead: it is not hashed then.
 */
function isIn(lead: Fragment, set: Fragment): Fragment {
  return fragment`(${lead} IN (${set})) IS TRUE`;
}

function all(conditions: Fragment[]): Fragment {
  return conditions.reduce((joined, condition) => fragment`${joined} AND ${condition}`);
}
