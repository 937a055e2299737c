import { actingUserId } from '@tandem/caller';
import { notificationCreated, type notifications } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { deliverNotificationsJob } from './deliver-notifications.job.ts';
import { asNotification } from './notification.ts';
import { findRecipients } from './recipients.ts';

const bytesMax = 8 * 1024 * 1024;

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
  const rows = data.length ? await tx.notification.createManyAndReturn({ data }) : [];
  if (scheduledFor && rows.length) await schedule(deliverNotificationsJob, [{ batchId: batch.id }], scheduledFor);
  const record = { id: batch.id, recipients: rows.length };
  emit(notificationCreated, {
    data: { batchId: batch.id, userIds, title: body.title },
    record: { ...record, category: body.category, scheduledFor },
  });
  return { ...record, notifications: rows.map(asNotification) };
};

/** Each recipient has a copy, and all of them stand in the answer: together they must fit into one. */
function checkSize(shown: object, recipients: number): void {
  const sizeMax = Math.floor(bytesMax / Math.max(1, recipients));
  if (Buffer.byteLength(JSON.stringify(shown)) > sizeMax)
    throw failField('data', `With ${recipients} recipients a notification must be at most ${sizeMax} bytes`);
}

function checkTimes(scheduledFor: Date | null, expiresAt: Date | null): void {
  const now = new Date();
  if (scheduledFor && scheduledFor <= now) throw failField('scheduledFor', 'Must be in the future');
  if (expiresAt && expiresAt <= (scheduledFor ?? now))
    throw failField('expiresAt', 'Must be in the future, and after scheduledFor');
}
