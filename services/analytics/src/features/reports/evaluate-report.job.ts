import type { Caller } from '@tandem/caller';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readTimezone } from '../counting/index.ts';
import { readDelivery } from './delivery.ts';
import { endAttempt, failRun } from './end-run.ts';
import { type Ended, failureOf, unexpected } from './ended.ts';
import { evaluate } from './evaluate.ts';
import { endOfExport, startExport } from './export-of-run.ts';
import { isOfList } from './report-query.ts';
import {
  endOfDeleted,
  evaluateReportJob,
  type RunPayload,
  type StoredReport,
  StoredRun,
  storedReport,
  zoneOf,
} from './report-run.ts';
import { tableOf } from './tables.ts';
import type { ReportTools } from './tools.ts';

// How often a run of a list looks whether its export has ended.
const lookAgainMs = 1_000;
const forbidden = {
  code: 'forbidden',
  message: 'The owner of the report may not read what it shows any more',
  isFinal: true,
};

// Sums of two time zones would be sent as if they were right.
const recounting = {
  code: 'recounting',
  message: 'The time zone of the tenant has changed, and its records are being counted again',
  isFinal: false,
};

/** Evaluates a run: numbers at once, records by an export for whose end it waits. */
export const evaluateReport = (tools: ReportTools) =>
  job({
    ...evaluateReportJob,
    // Reports are as heavy as exports, so they wait behind them instead of delaying other jobs.
    lane: 'exports',
    async run({ payload: { reportRunId }, scope, tx, finish }: JobContext<RunPayload, Tx>) {
      const run = await start(tx, reportRunId);
      const report = run && (await storedReport(tx, run.reportId));
      if (!run) return;
      if (!report)
        return finish(async (inside) => {
          const data = { ...endOfDeleted, completedAt: new Date() };
          await inside.tx.reportRun.updateMany({ where: { id: run.id, status: 'running' }, data });
        });
      const { requester } = StoredRun.parse(run);
      const actor = run.scheduleId === null ? requester?.actor : undefined;
      if (requester && isOfList(report.type) && run.exportId === null)
        return finish(async (inside) => {
          const started = await startExport(tools, inside, { run, report, tenantId: scope.tenantId });
          if (started instanceof Date) return started;
          return endAttempt(tools, inside, { run, report, delivery: undefined, ended: started });
        }, actor);
      const caller = requester && { ...requester.actor, ...scope, permissions: [] };
      const ended = caller ? await endOf(tools, { tx, caller }, { run, report }) : forbidden;
      if (!ended) return finish(async () => new Date(Date.now() + lookAgainMs));
      const delivery = 'code' in ended ? undefined : await readDelivery(tools, { tx, scope }, { run, report });
      return finish((inside) => endAttempt(tools, inside, { run, report, delivery, ended }), actor);
    },
    async giveUp({ payload: { reportRunId }, ...inside }: GiveUpContext<RunPayload, Tx>) {
      const where = { id: reportRunId, status: { in: ['queued', 'running'] } };
      const run = await inside.tx.reportRun.lockFirst({ where });
      const report = run && (await storedReport(inside.tx, run.reportId));
      if (report) await failRun(inside, { run, report, failure: unexpected });
    },
  });

async function start(tx: Tx, id: number): Promise<ReportRun | undefined> {
  await tx.reportRun.updateMany({
    where: { id, status: 'queued' },
    data: { status: 'running', startedAt: new Date() },
  });
  return (await tx.reportRun.findFirst({ where: { id, status: 'running' } })) ?? undefined;
}

/** How an attempt ended; undefined while the export runs. */
async function endOf(
  tools: ReportTools,
  { tx, caller }: { tx: Tx; caller: Caller },
  { run, report: { type } }: { run: ReportRun; report: StoredReport },
): Promise<Ended | undefined> {
  if (isOfList(type)) return endOfExport(tx, run);
  if (type === 'dashboard' && (await readTimezone(tx)).isChanging) return recounting;
  const { wireQuery } = StoredRun.parse(run);
  const now = run.scheduledFor ?? run.createdAt;
  try {
    const result = await evaluate(tools, { tx, caller, now, zone: await zoneOf(tx, run) }, { type, wireQuery });
    return { result, rowCount: tableOf(type, result).rowCount };
  } catch (error) {
    return failureOf(error);
  }
}
