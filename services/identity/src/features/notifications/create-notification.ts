import { actingUserId } from '@tandem/caller';
import { notificationCreated, type notifications, notificationsShownMax } from '@tandem/identity-contract';
import { failField, toJsonColumn } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkActionCalls } from './action-call.ts';
import { createBatch } from './batch.ts';
import { deliverNotificationsJob } from './deliver-notifications.job.ts';
import { asNotification } from './notification.ts';
import { findRecipients } from './recipients.ts';

// Maximum size stored by one call, for all recipients together.
const bytesMax = 8 * 1024 * 1024;
// Many small values cost more CPU time than their size suggests: more would block the event loop for over 50 ms.
const valuesMax = 500_000;
const scheduleMaxMs = 366 * 86_400_000;

export const createNotification =
  ({ feeds, ids }: Pick<Tools, 'feeds' | 'ids'>): Handler<typeof notifications.createNotification> =>
  async ({ afterCommit, body, caller, tx, emit, schedule }) => {
    const {
      userIds: named = [],
      teamIds = [],
      roleIds = [],
      scheduledFor = null,
      expiresAt = null,
      groupKey = null,
      ...content
    } = body;
    checkTimes(scheduledFor, expiresAt);
    checkActionCalls(content.actions, { tenantId: caller.tenantId as number, permissions: caller.permissions, ids });
    const userIds = await findRecipients(tx, { userIds: named, teamIds, roleIds });
    checkSize(content, userIds.length);
    const { batchId } = await createBatch(
      tx,
      {
        ...content,
        data: toJsonColumn(content.data),
        scheduledFor,
        expiresAt,
        groupKey,
        isSandbox: caller.environment === 'sandbox',
      },
      { userIds, createdBy: actingUserId(caller) ?? null },
    );
    const returnedRows = await tx.notification.findMany({
      where: { batchId },
      orderBy: { id: 'asc' },
      take: notificationsShownMax,
    });
    if (scheduledFor && userIds.length) await schedule(deliverNotificationsJob, [{ batchId }], scheduledFor);
    afterCommit(() => feeds.changed(caller.tenantId as number, userIds));
    const record = { id: batchId, recipients: userIds.length };
    emit(notificationCreated, {
      data: { batchId, userIds, title: body.title },
      record: { ...record, category: body.category, scheduledFor },
    });
    return { ...record, notifications: returnedRows.map(asNotification) };
  };

/** Each recipient gets a copy, so the limits apply to all copies together. */
function checkSize(content: { data: object }, recipients: number): void {
  const perRecipient = (max: number) => Math.floor(max / Math.max(1, recipients));
  if (Buffer.byteLength(JSON.stringify(content)) > perRecipient(bytesMax))
    throw failField(
      'data',
      `Must be at most ${perRecipient(bytesMax)} bytes for a notification with ${recipients} recipients`,
    );
  if (valuesIn(content.data) > perRecipient(valuesMax))
    throw failField(
      'data',
      `Must contain at most ${perRecipient(valuesMax)} values for a notification with ${recipients} recipients`,
    );
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1);
}

function checkTimes(scheduledFor: Date | null, expiresAt: Date | null): void {
  const now = new Date();
  if (scheduledFor && scheduledFor <= now) throw failField('scheduledFor', 'Must be in the future');
  if (scheduledFor && scheduledFor.getTime() > now.getTime() + scheduleMaxMs)
    throw failField('scheduledFor', 'Must be at most a year ahead');
  if (expiresAt && expiresAt <= (scheduledFor ?? now))
    throw failField('expiresAt', 'Must be in the future and after scheduledFor');
}
