import { ReportSchedule } from '@tandem/analytics-contract';
import { id, timestamp } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { ReportSchedule as ScheduleRow } from '../../generated/client.ts';
import { nextTimeOf, type Timetable } from './schedule-times.ts';

const payload = z.object({ reportScheduleId: id('report_schedule'), scheduledFor: timestamp() });
export type SchedulePayload = z.output<typeof payload>;
/** The job that starts the run of a schedule at one of its times. */
export const startScheduledReportJob = { name: 'start-scheduled-report', payload };

const columns = ReportSchedule.pick({ frequency: true, format: true, lastStatus: true, stoppedReason: true });

/** Converts a row to the contract's `ReportSchedule`. */
export function asSchedule({ userIds, emails, ...row }: ScheduleRow) {
  return { ...row, ...columns.parse(row), recipients: { userIds, emails } };
}

/** The columns with the next time of a schedule. */
export function nextRun({ active, ...timetable }: Timetable & { active: boolean }, timezone: string, after: Date) {
  const nextRunAt = (active && nextTimeOf(timetable, timezone, after)) || null;
  return { active: nextRunAt !== null, nextRunAt };
}

/** Schedules the job for the next time. Jobs for times that a schedule had before find that it has another one. */
export async function awaitNextRun(
  schedule: Schedule,
  { id: reportScheduleId, nextRunAt }: ScheduleRow,
): Promise<void> {
  if (nextRunAt) await schedule(startScheduledReportJob, [{ reportScheduleId, scheduledFor: nextRunAt }], nextRunAt);
}
