import { reportDeleted, type reports } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asReport, checkMayDelete, lockReport } from './report.ts';

export const deleteReport: Handler<typeof reports.deleteReport> = async ({
  params: { id },
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const report = asReport(await lockReport(tx, id, caller));
  checkMayDelete(report, caller);
  ifMatch(report);
  // The jobs of its schedules find nothing any more. Runs may be many: nobody sees them, and housekeeping removes them.
  await tx.reportSchedule.deleteMany({ where: { reportId: id } });
  await tx.report.deleteMany({ where: { id } });
  emit(reportDeleted, { data: { reportId: id, type: report.type }, record: { id } });
  return { id, deleted: true };
};
