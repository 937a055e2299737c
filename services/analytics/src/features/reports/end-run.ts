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
  /** The recipients of messages; undefined for a run without a schedule. */
  delivery: Delivery | undefined;
}

/** Records how an attempt ended, and sends messages about it; returns when the next one is due. */
export async function endAttempt(
  tools: ReportTools,
  inside: Inside<Tx>,
  { ended, ...attempt }: Attempt & { ended: Ended },
): Promise<Date | undefined> {
  const failure = 'code' in ended ? ended : await deliver(tools, inside, { ...attempt, ended });
  if (!failure) {
    await completeRun(inside, { ...attempt, ...(ended as Exclude<Ended, Failure>) });
    return undefined;
  }
  const { run } = attempt;
  const attempts = run.attempts + 1;
  if (failure.isFinal || attempts >= reportLimits.attempts) {
    await failRun(tools, inside, { ...attempt, failure });
    return undefined;
  }
  const data = { attempts, errorCode: failure.code, errorMessage: failure.message };
  await inside.tx.reportRun.updateMany({ where: { id: run.id }, data });
  return new Date(Date.now() + (delaysMs[run.attempts] as number));
}

/** Queues the messages about the end of a run; returns why that is not possible. */
async function deliver(
  tools: ReportTools,
  inside: Inside<Tx>,
  { delivery, ...about }: Attempt & { ended: Ended },
): Promise<Failure | undefined> {
  if (!delivery) return undefined;
  const messages = messagesOf(tools, delivery, about);
  if (!messages.length) return noRecipients;
  return (await tools.mail(inside, messages)) ? undefined : mailLimitReached;
}

async function completeRun(
  { tx, emit }: Inside<Tx>,
  { run, report, result, rowCount }: Attempt & Exclude<Ended, Failure>,
): Promise<void> {
  const ended = { status: 'completed', completedAt: new Date(), errorCode: null, errorMessage: null };
  await tx.reportRun.updateMany({
    where: { id: run.id },
    data: { ...ended, rowCount, ...(result && { result: toJsonColumn(result) }) },
  });
  await tellSchedule(tx, run, { lastStatus: 'completed', lastError: null });
  emit(reportCompleted, { data: { ...dataOf({ run, report }), rowCount }, record: report });
}

/** Ends a run that is not repeated, and notifies the owner if a schedule started it. */
export async function failRun(
  tools: ReportTools,
  inside: Inside<Tx>,
  { run, report, delivery, failure }: Attempt & { failure: Failure },
): Promise<void> {
  const { tx, emit } = inside;
  const { code, message } = failure;
  const ended = { status: 'failed', completedAt: new Date(), attempts: run.attempts + 1 };
  await tx.reportRun.updateMany({ where: { id: run.id }, data: { ...ended, errorCode: code, errorMessage: message } });
  await tellSchedule(tx, run, { lastStatus: 'failed', lastError: message });
  // If the limit of messages is reached, the schedule and the event still tell of it.
  if (delivery) await deliver(tools, inside, { run, report, delivery, ended: failure });
  emit(reportFailed, { data: { ...dataOf({ run, report }), code }, record: report });
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
