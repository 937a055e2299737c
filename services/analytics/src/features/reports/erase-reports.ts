import { reportScheduleStopped } from '@tandem/analytics-contract';
import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { failRun } from './end-run.ts';
import { storedReport } from './report-run.ts';

const runsMax = 1_000;
const schedulesMax = 1_000;
const erased = { code: 'query_erased', message: 'The query named a person who was erased', isFinal: true };

/** Removes a person from the queries of reports, the parameters of runs, and the recipients of schedules. */
export const reportSweeps: readonly Sweep<Tx>[] = [
  // Without its query a report would show all records, so its schedules stop. A tenant has few reports.
  async ({ tx, emit, person }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const changed = await tx.sql<{ reportId: number; reportName: string; ownerId: number; scheduleId: number | null }>`
      WITH changed AS (
        UPDATE report SET query = '{}', wire_query = '{}', version = version + 1
        WHERE query::text ~* ${pattern} RETURNING id, name, owner_id),
      stopped AS (
        UPDATE report_schedule SET active = false, next_run_at = NULL, stopped_reason = ${erased.code}, version = version + 1,
          last_error = ${erased.message}
        WHERE active AND report_id IN (SELECT id FROM changed) RETURNING id, report_id)
      SELECT changed.id AS "reportId", changed.name AS "reportName", changed.owner_id AS "ownerId", stopped.id AS "scheduleId"
      FROM changed LEFT JOIN stopped ON stopped.report_id = changed.id ORDER BY 1, 2`;
    for (const { scheduleId, ...report } of changed)
      if (scheduleId !== null) {
        const data = { ...report, reportScheduleId: scheduleId, reason: erased.code, message: erased.message };
        emit(reportScheduleStopped, { data, record: { id: scheduleId } });
      }
    return { erased: { reportQueries: new Set(changed.map(({ reportId }) => reportId)).size }, next: null };
  },
  async ({ tx, emit, person, after: [last = 0] }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const read = await tx.sql<{ id: number; isFound: boolean; isOpen: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT id, params::text ~* ${pattern} OR wire_query::text ~* ${pattern} AS is_found,
          status IN ('queued', 'running') AS is_open FROM report_run
        WHERE id > ${last} ORDER BY id LIMIT ${runsMax}::int FOR UPDATE),
      changed AS (
        UPDATE report_run SET params = '{}', wire_query = '{}' WHERE id IN (SELECT id FROM part WHERE is_found) RETURNING 1)
      SELECT id, is_found AS "isFound", is_open AS "isOpen" FROM part ORDER BY id`;
    for (const { id, isFound, isOpen } of read) if (isFound && isOpen) await failErased({ tx, emit }, id);
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

async function failErased({ tx, emit }: Pick<Erasing<Tx>, 'tx' | 'emit'>, id: number): Promise<void> {
  const run = await tx.reportRun.findFirst({ where: { id } });
  const report = run && (await storedReport(tx, run.reportId));
  if (report) await failRun({ tx, emit }, { run, report, failure: erased });
}
