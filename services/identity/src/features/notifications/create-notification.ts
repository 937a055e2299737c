import { actingUserId } from '@tandem/caller';
import { notificationCreated, type notifications, notificationsShownMax } from '@tandem/identity-contract';
import { failField, toJsonColumn } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { deliverNotificationsJob } from './deliver-notifications.job.ts';
import { asNotification } from './notification.ts';
import { findRecipients } from './recipients.ts';

// Maximum size stored by one call, for all recipients together.
const bytesMax = 8 * 1024 * 1024;
// Many small values cost more CPU time than their size suggests: more would block the event loop for over 50 ms.
const valuesMax = 500_000;

export const createNotification: Handler<typeof notifications.createNotification> = async ({
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
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
  const userIds = await findRecipients(tx, { userIds: named, teamIds, roleIds });
  checkSize(content, userIds.length);
  const batch = await tx.notificationBatch.create({
    data: { scheduledFor, createdBy: actingUserId(caller) ?? null },
  });
  const state = scheduledFor
    ? { status: 'scheduled', deliveredAt: null }
    : { status: 'delivered', deliveredAt: batch.createdAt };
  const common = { ...content, data: toJsonColumn(content.data), scheduledFor, expiresAt, groupKey, ...state };
  const data = userIds.map((userId) => ({ ...common, batchId: batch.id, userId }));
  if (data.length) await tx.notification.createMany({ data });
  const returnedRows = await tx.notification.findMany({
    where: { batchId: batch.id },
    orderBy: { id: 'asc' },
    take: notificationsShownMax,
  });
  if (scheduledFor && data.length) await schedule(deliverNotificationsJob, [{ batchId: batch.id }], scheduledFor);
  const record = { id: batch.id, recipients: data.length };
  emit(notificationCreated, {
    data: { batchId: batch.id, userIds, title: body.title },
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
  if (expiresAt && expiresAt <= (scheduledFor ?? now))
    throw failField('expiresAt', 'Must be in the future and after scheduledFor');
}
