import type { reportRuns } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { findReport } from './report.ts';
import { asListedRun } from './report-run.ts';

export const listReportRuns: Handler<typeof reportRuns.listReportRuns> = async ({
  params,
  query,
  caller,
  tx,
  list,
}) => {
  await findReport(tx, params.id, caller);
  const { status } = query;
  const page = await list({ model: tx.reportRun, where: { reportId: params.id, ...(status && { status }) } });
  return { ...page, items: page.items.map(asListedRun) };
};
