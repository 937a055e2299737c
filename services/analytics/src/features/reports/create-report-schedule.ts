import { reportLimits, reportScheduleCreated, type reportSchedules } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkReach, checkRecipients } from './recipients.ts';
import { asReport, checkOwner, findReport, lockReport } from './report.ts';
import { checkFormat } from './report-query.ts';
import { asSchedule, awaitNextRun, nextRun } from './report-schedule.ts';
import { timetableOf } from './schedule-times.ts';
import type { ReportTools } from './tools.ts';

export const createReportSchedule = (tools: ReportTools): Handler<typeof reportSchedules.createReportSchedule> => ({
  async check({ params: { id }, body: { recipients, format }, caller, tx }) {
    const report = asReport(await findReport(tx, id, caller));
    checkOwner(report, caller);
    checkReach(tools, { type: report.type, field: 'recipients' }, caller);
    checkFormat(report.type, format);
    await checkRecipients(tools, { type: report.type, recipients }, caller);
  },
  async run({ params: { id }, body, caller, tx, emit, schedule }) {
    // The lock keeps two requests from passing the maximum together.
    await lockReport(tx, id, caller);
    if ((await tx.reportSchedule.count({ where: { reportId: id } })) >= reportLimits.schedules)
      throw fail('too_many_schedules');
    const { timezone, format, active, recipients, ...given } = body;
    const timetable = timetableOf(given);
    const row = await tx.reportSchedule.create({
      data: {
        ...timetable,
        ...nextRun({ ...timetable, active }, timezone, new Date()),
        reportId: id,
        timezone,
        format,
        userIds: [...new Set(recipients.userIds)],
        emails: [...new Set(recipients.emails)],
      },
    });
    await awaitNextRun(schedule, row);
    emit(reportScheduleCreated, { data: { reportId: id, reportScheduleId: row.id }, record: { id: row.id } });
    return asSchedule(row);
  },
});
