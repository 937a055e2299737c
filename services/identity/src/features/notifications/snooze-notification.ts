import type { notifications } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { wakeNotificationJob } from './deliver-notifications.job.ts';
import { asNotification, checkMove, lockOwn, writeNotification } from './notification.ts';

const aheadMinMs = 60_000;
const aheadMaxMs = 366 * 86_400_000;

export const snoozeNotification =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.snoozeNotification> =>
  async ({ afterCommit, params, body: { until }, caller, tx, ifMatch, schedule }) => {
    const row = await lockOwn(tx, caller, params.id);
    ifMatch(row);
    const isSnoozed = row.status === 'scheduled' && row.deliveredAt !== null;
    if (isSnoozed && row.scheduledFor?.getTime() === until.getTime()) return asNotification(row);
    if (!isSnoozed) checkMove(row, 'scheduled');
    checkTime(until, row.expiresAt);
    await schedule(wakeNotificationJob, [{ batchId: row.batchId, id: row.id, until }], until);
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    return asNotification(await writeNotification(tx, row, { status: 'scheduled', scheduledFor: until }));
  };

function checkTime(until: Date, expiresAt: Date | null): void {
  const ahead = until.getTime() - Date.now();
  if (ahead < aheadMinMs) throw failField('until', 'Must be at least one minute ahead');
  if (ahead > aheadMaxMs) throw failField('until', 'Must be at most a year ahead');
  if (expiresAt && until >= expiresAt) throw failField('until', 'Must be before the notification expires');
}
