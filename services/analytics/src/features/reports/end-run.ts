import { reportCompleted, reportFailed, reportLimits } from '@tandem/analytics-contract';
import type { Inside } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type Delivery, mailLimitReached, messagesOf, noRecipients } from './delivery.ts';
import type { Ended, Failure } from './ended.ts';
import type { StoredReport } from './report-run.ts';
import type { ReportTools } from './tools.ts';

const minuteMs = 60_000;
const delaysMs = [minuteMs, 5 * minuteMs, 15 * minuteMs];

interface Attempt {
  run: ReportRun;
  report: StoredReport;
  /** The recipients of the file; undefined for a run without a schedule, and for an attempt that failed. */
  delivery: Delivery | undefined;
}

/** Records how an attempt ended, and sends links to its file; returns when the next one is due. */
export async function endAttempt(
  tools: ReportTools,
  inside: Inside<Tx>,
  { ended, ...attempt }: Attempt & { ended: Ended },
): Promise<Date | undefined> {
  // An erasure or the deletion of the report may have ended the run meanwhile.
  if (!(await inside.tx.reportRun.lockFirst({ where: { id: attempt.run.id, status: 'running' } }))) return undefined;
  const failure = 'code' in ended ? ended : await deliver(tools, inside, { ...attempt, ended });
  if (!failure) {
    await completeRun(inside, { ...attempt, ...(ended as Exclude<Ended, Failure>) });
    return undefined;
  }
  const { run } = attempt;
  const attempts = run.attempts + 1;
  if (failure.isFinal || attempts >= reportLimits.attempts) {
    await failRun(inside, { ...attempt, failure });
    return undefined;
  }
  const { code: errorCode, message: errorMessage, isOfExport } = failure;
  await inside.tx.reportRun.updateMany({
    where: { id: run.id },
    data: { attempts, errorCode, errorMessage, ...(isOfExport && { exportId: null }) },
  });
  return new Date(Date.now() + (delaysMs[run.attempts] as number));
}

/** Queues the messages with the file of a run; returns why that is not possible. */
async function deliver(
  tools: ReportTools,
  inside: Inside<Tx>,
  { delivery, ...about }: Attempt & { ended: Exclude<Ended, Failure> },
): Promise<Failure | undefined> {
  if (!delivery) return undefined;
  const messages = messagesOf(tools, delivery, about);
  if (!messages.length) return noRecipients;
  return (await tools.mail(inside, messages)) ? undefined : mailLimitReached;
}

async function completeRun(
  { tx, emit }: Inside<Tx>,
  { run, report, delivery, result, rowCount }: Attempt & Exclude<Ended, Failure>,
): Promise<void> {
  const ended = { status: 'completed', completedAt: new Date(), errorCode: null, errorMessage: null };
  await tx.reportRun.updateMany({
    where: { id: run.id },
    data: { ...ended, rowCount, ...(result && { result: toJsonColumn(result) }) },
  });
  await tellSchedule(tx, run, { lastStatus: 'completed', lastError: leftOutText(delivery) });
  emit(reportCompleted, { data: { ...dataOf({ run, report }), rowCount }, record: report });
}

function leftOutText(delivery: Delivery | undefined): string | null {
  if (!delivery?.leftOut) return null;
  return `Users who got no message, because they are not active or may not read the report: ${delivery.leftOut}`;
}

/** Ends a run that is not repeated. Identity notifies the user who started it, or the owner of the report, by the event. */
export async function failRun(
  { tx, emit }: Pick<Inside<Tx>, 'tx' | 'emit'>,
  { run, report, failure: { code, message } }: Omit<Attempt, 'delivery'> & { failure: Failure },
): Promise<void> {
  const ended = { status: 'failed', completedAt: new Date(), attempts: run.attempts + 1 };
  await tx.reportRun.updateMany({ where: { id: run.id }, data: { ...ended, errorCode: code, errorMessage: message } });
  await tellSchedule(tx, run, { lastStatus: 'failed', lastError: message });
  const data = { ...dataOf({ run, report }), code, message, createdBy: run.createdBy };
  emit(reportFailed, { data, record: report });
}

async function tellSchedule(
  tx: Tx,
  { scheduleId }: ReportRun,
  data: { lastStatus: string; lastError: string | null },
): Promise<void> {
  if (scheduleId !== null) await tx.reportSchedule.updateMany({ where: { id: scheduleId }, data });
}

function dataOf({ run, report }: Pick<Attempt, 'run' | 'report'>) {
  return { reportId: report.id, reportRunId: run.id, scheduleId: run.scheduleId, type: report.type };
}
