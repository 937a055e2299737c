import { reportScheduleStopped } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { type Requester, requesterOf } from '@tandem/exports';
import { type JobContext, type JobScope, job, scheduleAgain } from '@tandem/jobs';
import { reachOf } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { reachOfSource, type Sources } from '../exports/source.ts';
import { insertRun } from './insert-run.ts';
import { isOfList } from './report-query.ts';
import { type StoredReport, storedReport } from './report-run.ts';
import { asSchedule, awaitNextRun, nextRun, type SchedulePayload, startScheduledReportJob } from './report-schedule.ts';
import type { ReportTools } from './tools.ts';

const ownerInactive = { code: 'owner_inactive', message: 'The owner of the report is not active any more' } as const;

/**
 * Starts the run of a schedule at one of its times, and schedules the next one, in one transaction. After an outage it starts
 * one run for all times that passed.
 */
export const startScheduledReport = ({ identity, sources }: ReportTools) =>
  job({
    ...startScheduledReportJob,
    async run({ payload, scope, tx, finish }: JobContext<SchedulePayload, Tx>) {
      const { reportScheduleId: id, scheduledFor } = payload;
      // A job for a time that the schedule does not have any more has nothing to do.
      const where = { id, active: true, nextRunAt: scheduledFor };
      const found = await tx.reportSchedule.findFirst({ where });
      const report = found && (await storedReport(tx, found.reportId));
      if (!report) return;
      const owner = await readOwner(identity, report.ownerId, scope);
      await finish(async ({ tx, emit, schedule }) => {
        const row = await tx.reportSchedule.lockFirst({ where });
        if (!row) return;
        if (!owner) {
          const { code, message } = ownerInactive;
          const stopped = { active: false, nextRunAt: null, stoppedReason: code, lastError: message };
          await tx.reportSchedule.updateMany({ where: { id }, data: { ...stopped, version: row.version + 1 } });
          const { id: reportId, name: reportName, ownerId } = report;
          const data = { reportId, reportScheduleId: id, reason: code, message, reportName, ownerId };
          emit(reportScheduleStopped, { data, record: { id } });
          return;
        }
        const { format, timezone, ...timetable } = asSchedule(row);
        const { id: reportId, ownerId: createdBy, wireQuery } = report;
        await insertRun(
          { tx, schedule },
          {
            ...{ reportId, createdBy, format, wireQuery: wireQuery as Record<string, unknown> },
            requester: requesterFor(report, { owner, sources }),
            scheduled: { scheduleId: id, scheduledFor, timezone },
          },
        );
        // The clock of this process may be behind that of the database, by which the job is due.
        const next = nextRun(timetable, timezone, new Date(Math.max(Date.now(), scheduledFor.getTime())));
        await tx.reportSchedule.updateMany({
          where: { id },
          data: { ...next, lastRunAt: new Date(), lastStatus: 'queued', lastError: null },
        });
        await awaitNextRun(schedule, { ...row, ...next });
      });
    },
    // Otherwise the schedule would never run again.
    giveUp: scheduleAgain(startScheduledReportJob),
  });

/** The owner of a report with the permissions and teams that they have now; undefined unless they are active. */
async function readOwner(identity: Peers['identity'], userId: number, scope: JobScope): Promise<Caller | undefined> {
  const requestId = `report_${crypto.randomUUID()}`;
  const [params, as] = [{ id: userId }, { ...scope, requestId }];
  const user = await orAbsent(identity.findUser({ params, as }));
  if (user?.status !== 'active') return undefined;
  const { permissions } = await identity.findUserPermissions({ params, as });
  return { type: 'user', userId, name: user.name, teamIds: user.teamIds, permissions, requestId, ...scope };
}

/** In whose name the run reads; null if the owner may not read what the report shows. */
function requesterFor(
  { type }: StoredReport,
  { owner, sources }: { owner: Caller; sources: Sources },
): Requester | null {
  if (reachOf(owner, 'analytics:read') !== 'all') return null;
  const reach = isOfList(type) ? reachOfSource(owner, sources[type]) : 'all';
  return reach === 'none' ? null : requesterOf(owner, reach);
}
