import { addressPattern, type Sweep } from '@tandem/service';
import type { Tx } from '../../handler.ts';

const runsMax = 1_000;
const schedulesMax = 1_000;

/** Removes a person from the queries of reports, the parameters of runs, and the recipients of schedules. */
export const reportSweeps: readonly Sweep<Tx>[] = [
  // Without its query a report would show all records, so its schedules stop. A tenant has few reports.
  async ({ tx, person }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const changed = await tx.sql`
      WITH changed AS (
        UPDATE report SET query = '{}', wire_query = '{}', version = version + 1
        WHERE query::text ~* ${pattern} RETURNING id),
      stopped AS (
        UPDATE report_schedule SET active = false, next_run_at = NULL, stopped_reason = 'query_erased', version = version + 1,
          last_error = 'The query of the report named a person who was erased'
        WHERE report_id IN (SELECT id FROM changed) RETURNING 1)
      SELECT id FROM changed`;
    return { erased: { reportQueries: changed.length }, next: null };
  },
  async ({ tx, person, after: [last = 0] }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const read = await tx.sql<{ id: number; isFound: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT id, params::text ~* ${pattern} OR wire_query::text ~* ${pattern} AS is_found FROM report_run
        WHERE id > ${last} ORDER BY id LIMIT ${runsMax}::int),
      changed AS (
        UPDATE report_run SET params = '{}', wire_query = '{}',
          error_code = CASE WHEN status IN ('queued', 'running') THEN 'query_erased' ELSE error_code END,
          error_message = CASE WHEN status IN ('queued', 'running')
            THEN 'The query named a person who was erased' ELSE error_message END,
          completed_at = coalesce(completed_at, now()),
          status = CASE WHEN status IN ('queued', 'running') THEN 'failed' ELSE status END
        WHERE id IN (SELECT id FROM part WHERE is_found) RETURNING 1)
      SELECT id, is_found AS "isFound" FROM part ORDER BY id`;
    return {
      erased: { reportRuns: read.filter(({ isFound }) => isFound).length },
      next: read.length === runsMax ? [read.at(-1)?.id as number] : null,
    };
  },
  async ({ tx, person, after: [last = 0] }) => {
    const pattern = addressPattern(person, []);
    const read = await tx.sql<{ id: number; isFound: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT id, array_to_string(emails, ' ') ~* ${pattern} AS is_found FROM report_schedule
        WHERE id > ${last} ORDER BY id LIMIT ${schedulesMax}::int),
      changed AS (
        UPDATE report_schedule SET version = version + 1,
          emails = ARRAY(SELECT address FROM unnest(emails) AS address WHERE address !~* ${pattern})
        WHERE id IN (SELECT id FROM part WHERE is_found) RETURNING 1)
      SELECT id, is_found AS "isFound" FROM part ORDER BY id`;
    return {
      erased: { reportRecipients: read.filter(({ isFound }) => isFound).length },
      next: read.length === schedulesMax ? [read.at(-1)?.id as number] : null,
    };
  },
];
