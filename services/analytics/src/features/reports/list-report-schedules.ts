import type { reportSchedules } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { findReport, knownTo } from './report.ts';
import { asSchedule } from './report-schedule.ts';

export const listReportSchedules: Handler<typeof reportSchedules.listReportSchedules> = async ({
  params: { id },
  caller,
  tx,
  list,
}) => {
  await findReport(tx, id, caller, knownTo(caller));
  const page = await list({ model: tx.reportSchedule, where: { reportId: id } });
  return { ...page, items: page.items.map(asSchedule) };
};
