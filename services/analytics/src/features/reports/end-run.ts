import { reportCompleted, reportFailed, reportLimits } from '@tandem/analytics-contract';
import type { Inside } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Ended, Failure } from './ended.ts';
import type { StoredReport } from './report-run.ts';

const minuteMs = 60_000;
const delaysMs = [minuteMs, 5 * minuteMs, 15 * minuteMs];

interface Attempt {
  run: ReportRun;
  report: StoredReport;
}

/** Records how an attempt ended; returns when the next one is due. */
export async function endAttempt(
  inside: Inside<Tx>,
  { run, report, ended }: Attempt & { ended: Ended },
): Promise<Date | undefined> {
  if (!('code' in ended)) {
    await completeRun(inside, { run, report, ...ended });
    return undefined;
  }
  const attempts = run.attempts + 1;
  if (ended.isFinal || attempts >= reportLimits.attempts) {
    await failRun(inside, { run, report, failure: ended });
    return undefined;
  }
  const data = { attempts, errorCode: ended.code, errorMessage: ended.message };
  await inside.tx.reportRun.updateMany({ where: { id: run.id }, data });
  return new Date(Date.now() + (delaysMs[run.attempts] as number));
}

async function completeRun(
  { tx, emit }: Inside<Tx>,
  { run, report, result, rowCount }: Attempt & { result: Record<string, unknown> | null; rowCount: number },
): Promise<void> {
  const ended = { status: 'completed', completedAt: new Date(), errorCode: null, errorMessage: null };
  await tx.reportRun.updateMany({
    where: { id: run.id },
    data: { ...ended, rowCount, ...(result && { result: toJsonColumn(result) }) },
  });
  emit(reportCompleted, { data: { ...dataOf({ run, report }), rowCount }, record: report });
}

/** Ends a run that is not repeated. */
export async function failRun(
  { tx, emit }: Inside<Tx>,
  { run, report, failure: { code, message } }: Attempt & { failure: Failure },
): Promise<void> {
  const ended = { status: 'failed', completedAt: new Date(), attempts: run.attempts + 1 };
  await tx.reportRun.updateMany({ where: { id: run.id }, data: { ...ended, errorCode: code, errorMessage: message } });
  emit(reportFailed, { data: { ...dataOf({ run, report }), code }, record: report });
}

function dataOf({ run, report }: Attempt) {
  return { reportId: report.id, reportRunId: run.id, scheduleId: run.scheduleId, type: report.type };
}
