import { reportFailed, reportScheduleStopped } from '@tandem/analytics-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';

/** Notifies users of reports that they ran and of schedules of their reports, when a run has failed for good or a schedule is stopped. */
export const notifyOfReports = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-reports',
    on: [reportFailed, reportScheduleStopped],
    async handle(events, context: ConsumerContext<Tx>) {
      const wanted = [...new Set(events.flatMap((event) => userOf(event) ?? []))];
      // Not only those who may read numbers: a run of an owner who lost the permission fails for that reason.
      const where = { id: { in: wanted }, status: 'active' };
      const users = await context.tx.user.findMany({ where, select: { id: true } });
      const active = new Set(users.map(({ id }) => id));
      const notices = events.flatMap((event) => {
        const userId = userOf(event);
        return userId !== undefined && active.has(userId) ? [{ event, notice: noticeOf(event, userId, ids) }] : [];
      });
      await noticesOf(context, notices);
    },
  });

type Failed = Received<typeof reportFailed>;
type Stopped = Received<typeof reportScheduleStopped>;

function userOf(event: Failed | Stopped): number | undefined {
  if (isStopped(event)) return event.data.ownerId;
  return event.data.createdBy ?? event.record.ownerId;
}

function isStopped(event: Failed | Stopped): event is Stopped {
  return event.name === reportScheduleStopped.name;
}

function noticeOf(event: Failed | Stopped, userId: number, ids: Tools['ids']): EventNotice['notice'] {
  const id = ids.encode('report', event.tenantId, event.data.reportId);
  return {
    userIds: [userId],
    ...(isStopped(event) ? textOfStopped(event) : textOfFailed(event)),
    category: 'reports',
    channels: ['in_app', 'email'],
    data: { type: 'report', id },
    actions: [
      {
        id: 'open',
        label: { en: 'Open', de: 'Öffnen' },
        type: 'url',
        url: `/analytics/reports/${id}`,
        style: 'primary',
      },
    ],
    groupKey: `report-${id}`,
  };
}

function textOfFailed({ data: { message, code, scheduleId }, record: { name } }: Failed) {
  const reason = message ?? code;
  return {
    title: { en: `The report “${name}” failed`, de: `Der Bericht „${name}“ ist fehlgeschlagen` },
    body: {
      en: `${reason}.${scheduleId === null ? '' : ' It was sent to nobody. The next run is at the next time of its schedule.'}`,
      de: `${reason}.${scheduleId === null ? '' : ' Er wurde niemandem gesendet. Der nächste Lauf ist zur nächsten Zeit des Zeitplans.'}`,
    },
  };
}

function textOfStopped({ data: { message, reason, reportName = '' } }: Stopped) {
  return {
    title: {
      en: `A schedule of the report “${reportName}” was stopped`,
      de: `Ein Zeitplan des Berichts „${reportName}“ wurde beendet`,
    },
    body: {
      en: `${message ?? reason}. The report is no longer sent; check its query and start the schedule again.`,
      de: `${message ?? reason}. Der Bericht wird nicht mehr gesendet; prüfen Sie seine Abfrage und starten Sie den Zeitplan neu.`,
    },
  };
}
