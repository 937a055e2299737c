import { type ReportFormat, reportLimits } from '@tandem/analytics-contract';
import type { Requester } from '@tandem/exports';
import type { Schedule } from '@tandem/jobs';
import { fail, toJsonColumn } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { evaluateReportJob } from './report-run.ts';

interface NewRun {
  reportId: number;
  params?: Record<string, unknown>;
  wireQuery: Record<string, unknown>;
  format: ReportFormat;
  requester: Requester | null;
  createdBy: number | null;
  /** The schedule that starts it, the time for which it does, and the zone of that time. */
  scheduled?: { scheduleId: number; scheduledFor: Date; timezone: string };
}

/** Stores a run, and schedules its job. Those of schedules are bounded by the number of schedules. */
export async function insertRun({ tx, schedule }: { tx: Tx; schedule: Schedule }, run: NewRun): Promise<ReportRun> {
  const { params = {}, wireQuery, requester, scheduled, ...fields } = run;
  if (!scheduled) await checkOpen(tx);
  const row = await tx.reportRun.create({
    data: {
      ...fields,
      ...scheduled,
      params: toJsonColumn(params),
      wireQuery: toJsonColumn(wireQuery),
      ...(requester && { requester: toJsonColumn(requester) }),
    },
  });
  await schedule(evaluateReportJob, [{ reportRunId: row.id }]);
  return row;
}

async function checkOpen(tx: Tx): Promise<void> {
  await lockNamed(tx, 'report runs');
  const open = await tx.reportRun.count({ where: { status: { in: ['queued', 'running'] }, scheduleId: null } });
  if (open >= reportLimits.openRuns) throw fail('too_many_runs');
}
