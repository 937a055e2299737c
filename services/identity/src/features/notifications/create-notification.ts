import { actingUserId } from '@tandem/caller';
import { notificationCreated, type notifications, notificationsShownMax } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { deliverNotificationsJob } from './deliver-notifications.job.ts';
import { asNotification } from './notification.ts';
import { findRecipients } from './recipients.ts';

// The most bytes that one call may store, for all its recipients together.
const bytesMax = 8 * 1024 * 1024;
// Small values take longer than their bytes: more than these would hold the event loop for 50 ms.
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
    ...shown
  } = body;
  checkTimes(scheduledFor, expiresAt);
  const userIds = await findRecipients(tx, { userIds: named, teamIds, roleIds });
  checkSize(shown, userIds.length);
  const batch = await tx.notificationBatch.create({
    data: { scheduledFor, createdBy: actingUserId(caller) ?? null },
  });
  const state = scheduledFor
    ? { status: 'scheduled', deliveredAt: null }
    : { status: 'delivered', deliveredAt: batch.createdAt };
  const each = { ...shown, data: shown.data as object, scheduledFor, expiresAt, groupKey, ...state };
  const data = userIds.map((userId) => ({ ...each, batchId: batch.id, userId }));
  if (data.length) await tx.notification.createMany({ data });
  const shownRows = await tx.notification.findMany({
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
  return { ...record, notifications: shownRows.map(asNotification) };
};

/** Each recipient has a copy, so the limits hold for all copies together. */
function checkSize(shown: { data: object }, recipients: number): void {
  const each = (max: number) => Math.floor(max / Math.max(1, recipients));
  if (Buffer.byteLength(JSON.stringify(shown)) > each(bytesMax))
    throw failField('data', `With ${recipients} recipients a notification must be at most ${each(bytesMax)} bytes`);
  if (valuesIn(shown.data) > each(valuesMax))
    throw failField('data', `With ${recipients} recipients it must hold at most ${each(valuesMax)} values`);
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1);
}

function checkTimes(scheduledFor: Date | null, expiresAt: Date | null): void {
  const now = new Date();
  if (scheduledFor && scheduledFor <= now) throw failField('scheduledFor', 'Must be in the future');
  if (expiresAt && expiresAt <= (scheduledFor ?? now))
    throw failField('expiresAt', 'Must be in the future, and after scheduledFor');
}
