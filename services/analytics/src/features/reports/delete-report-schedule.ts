import { reportScheduleDeleted, type reportSchedules } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkMayDelete, findReport, knownTo } from './report.ts';

export const deleteReportSchedule: Handler<typeof reportSchedules.deleteReportSchedule> = async ({
  params: { id: reportId, scheduleId: id },
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  checkMayDelete(await findReport(tx, reportId, caller, knownTo(caller)), caller);
  const row = await tx.reportSchedule.lockFirst({ where: { id, reportId } });
  if (!row) throw fail('not_found');
  ifMatch(row);
  await tx.reportSchedule.deleteMany({ where: { id } });
  emit(reportScheduleDeleted, { data: { reportId, reportScheduleId: id }, record: { id } });
  return { id, deleted: true };
};
