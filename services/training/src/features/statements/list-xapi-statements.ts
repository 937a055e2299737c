import { fail } from '@tandem/service';
import { statementRecordsMax, type xapiStatements } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { attemptFor, seesAnswers } from '../attempts/attempt.ts';
import { readRuntimes } from '../scorm/runtimes.ts';
import {
  attemptStatements,
  courseStatements,
  lessonStatements,
  type Position,
  type StatementRecord,
} from './derive.ts';
import { statementWriter } from './statement.ts';

export const listXapiStatements =
  (tools: Tools): Handler<typeof xapiStatements.listXapiStatements> =>
  async ({ params, query, caller, tx }) => {
    const enrollment = await tx.enrollment.findFirst({ where: { id: params.id } });
    const course = enrollment && (await tx.course.findFirst({ where: { id: enrollment.courseId } }));
    if (!enrollment || !course) throw fail('not_found');
    const tenantId = caller.tenantId as number;
    const idOf = (lessonId: number) => tools.ids.encode('lesson', tenantId, lessonId);
    const after = query.cursor === undefined ? undefined : positionOf(tools, tenantId, query.cursor);
    const records = await recordsAfter(tx, enrollment.id, after);
    const page = records.slice(0, statementRecordsMax);
    const attempts = await attemptsOf(tx, page);
    const runtimes = await readRuntimes(tx, enrollment.id, [...attempts.keys()]);
    const writer = statementWriter(tools, { ...caller, tenantId }, enrollment, course);
    const last = page.at(-1);
    return {
      statements: [
        ...(after ? [] : courseStatements(writer, enrollment)),
        ...page.flatMap((record) => {
          const attempt = record.attemptId === null ? undefined : attempts.get(record.attemptId);
          if (!attempt) return record.attemptId === null ? lessonStatements(writer, record) : [];
          const shown = attemptFor(caller, attempt);
          const runtime = seesAnswers(caller, attempt) ? runtimes.get(attempt.id) : undefined;
          return attemptStatements(writer, record, { attempt: shown, runtime });
        }),
      ],
      more: records.length > page.length && last ? `${idOf(last.lessonId)}.${last.number}` : null,
    };
  };

/** The records after a position, one more than a page has. */
function recordsAfter(tx: Tx, enrollmentId: number, after: Position | undefined): Promise<StatementRecord[]> {
  const { lessonId, number } = after ?? { lessonId: 0, number: 0 };
  return tx.sql<StatementRecord>`
    SELECT record.*, lesson.title FROM (
      SELECT lesson_id AS "lessonId", 0 AS number, NULL::bigint AS "attemptId", status, percent,
        seconds_spent AS "secondsSpent", started_at AS "startedAt", reported_at AS "reportedAt",
        completed_at AS "completedAt"
      FROM lesson_progress WHERE enrollment_id = ${enrollmentId}
      UNION ALL
      SELECT lesson_id, number, id, status, 0, 0, started_at, started_at, graded_at
      FROM attempt WHERE enrollment_id = ${enrollmentId}) AS record
    JOIN lesson ON lesson.id = "lessonId"
    WHERE ("lessonId", number) > (${lessonId}::bigint, ${number}::int)
    ORDER BY "lessonId", number LIMIT ${statementRecordsMax + 1}::int`;
}

/** @throws ApiError 400 for a cursor that no page had */
function positionOf({ ids }: Tools, tenantId: number, cursor: string): Position {
  const [code = '', number = ''] = cursor.split('.', 2);
  const lessonId = ids.decode('lesson', tenantId, code);
  if (lessonId === undefined || !/^\d{1,9}$/.test(number)) throw fail('bad_cursor');
  return { lessonId: Number(lessonId), number: Number(number) };
}

async function attemptsOf(tx: Tx, records: StatementRecord[]): Promise<Map<number, AttemptRow>> {
  const ids = records.flatMap(({ attemptId }) => (attemptId === null ? [] : [Number(attemptId)]));
  if (!ids.length) return new Map();
  const rows = await tx.attempt.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, row]));
}
