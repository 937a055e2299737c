import { reportDeleted, type reports } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asReport, checkMayDelete, knownTo, lockReport } from './report.ts';
import { endOfDeleted } from './report-run.ts';

export const deleteReport: Handler<typeof reports.deleteReport> = async ({
  params: { id },
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const report = asReport(await lockReport(tx, id, caller, knownTo(caller)));
  checkMayDelete(report, caller);
  ifMatch(report);
  // The jobs of its schedules find nothing any more. Ended runs may be many: nobody sees them, and housekeeping removes them.
  await tx.reportRun.updateMany({
    where: { reportId: id, status: { in: ['queued', 'running'] } },
    data: { ...endOfDeleted, completedAt: new Date() },
  });
  await tx.reportSchedule.deleteMany({ where: { reportId: id } });
  await tx.report.deleteMany({ where: { id } });
  emit(reportDeleted, { data: { reportId: id, type: report.type }, record: { id } });
  return { id, deleted: true };
};
