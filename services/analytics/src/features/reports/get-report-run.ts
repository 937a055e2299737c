import type { reportRuns } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { findReport } from './report.ts';
import { asRun } from './report-run.ts';
import type { ReportTools } from './tools.ts';

export const getReportRun =
  ({ fileUrl }: ReportTools): Handler<typeof reportRuns.getReportRun> =>
  async ({ params: { id, runId }, caller, tx }) => {
    await findReport(tx, id, caller);
    const row = await tx.reportRun.findFirst({ where: { id: runId, reportId: id } });
    if (!row) throw fail('not_found');
    return asRun(row, { caller, fileUrl });
  };
