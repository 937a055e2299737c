import { type reportSchedules, reportScheduleUpdated } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkReach, checkRecipients } from './recipients.ts';
import { asReport, checkMayChangeSchedule, findReport, knownTo } from './report.ts';
import { checkFormat } from './report-query.ts';
import { asSchedule, awaitNextRun, nextRun } from './report-schedule.ts';
import { timetableOf } from './schedule-times.ts';
import type { ReportTools } from './tools.ts';

export const updateReportSchedule = (tools: ReportTools): Handler<typeof reportSchedules.updateReportSchedule> => ({
  async check({ params: { id }, body, caller, tx }) {
    const { recipients, format } = body;
    const report = asReport(await findReport(tx, id, caller, knownTo(caller)));
    checkMayChangeSchedule(report, body, caller);
    // A pause sends nothing, so nothing else has to be checked.
    if (report.ownerId !== actingUserId(caller)) return;
    checkReach(tools, { type: report.type, field: 'recipients' }, caller);
    if (format) checkFormat(report.type, format);
    if (recipients) await checkRecipients(tools, { type: report.type, recipients }, caller);
  },
  async run({ params, body, tx, emit, schedule, ifMatch }) {
    const { id: reportId, scheduleId: id } = params;
    const row = await tx.reportSchedule.lockFirst({ where: { id, reportId } });
    if (!row) throw fail('not_found');
    ifMatch(row);
    const before = asSchedule(row);
    const { timezone, format, active, recipients, ...given } = body;
    const timetable = timetableOf(given, before);
    const users = recipients && { userIds: [...new Set(recipients.userIds)], emails: [...new Set(recipients.emails)] };
    const wanted = { ...timetable, timezone, format, active, ...(users && { recipients: users }) };
    const { isEmpty, values, audit } = diff(before, wanted);
    if (isEmpty) return before;
    const { recipients: _, ...columns } = values;
    const after = { ...before, ...values };
    const isMoved = ['frequency', 'time', 'weekday', 'dayOfMonth', 'cron', 'timezone', 'active'].some(
      (field) => field in values,
    );
    const [changed] = await tx.reportSchedule.updateManyAndReturn({
      where: { id },
      data: {
        ...columns,
        ...users,
        ...(isMoved && nextRun({ ...timetable, active: after.active }, after.timezone, new Date())),
        ...(values.active && { stoppedReason: null, lastError: null }),
        version: { increment: 1 },
      },
    });
    const updated = changed as NonNullable<typeof changed>;
    if (isMoved) await awaitNextRun(schedule, updated);
    emit(reportScheduleUpdated, {
      data: { reportId, reportScheduleId: id, fields: Object.keys(values) },
      record: { id },
      changes: audit,
    });
    return asSchedule(updated);
  },
});
