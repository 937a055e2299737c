import { actingUserId, type Caller } from '@tandem/caller';
import {
  Notification,
  type NotificationAction,
  NotificationActionResult,
  type NotificationStatus,
  notificationStates,
} from '@tandem/identity-contract';
import { fail, storedObject, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { appendToFeeds, lockFeeds } from './feed.ts';

/** An action as it is stored. */
export type Action = z.output<typeof NotificationAction>;
export type Status = z.output<typeof NotificationStatus>;

const columns = Notification.pick({
  priority: true,
  status: true,
  channels: true,
  actions: true,
  emailStatus: true,
}).extend({ data: storedObject });
const Pressed = z.record(z.string(), z.iso.datetime());
const Results = z.record(z.string(), NotificationActionResult);

const dayMs = 86_400_000;
const keptDays: Record<Status, number> = {
  scheduled: 365,
  delivered: 365,
  read: 365,
  archived: 90,
  cancelled: 30,
  failed: 90,
};

/** The time at which a notification that has had this status since `at` is deleted. */
export function purgeTimeOf(status: Status, at: Date): Date {
  return new Date(at.getTime() + keptDays[status] * dayMs);
}

/** Converts a row to the API resource. */
export function asNotification(row: NotificationRow): z.output<typeof Notification> {
  const [pressed, results] = [pressedOf(row), resultsOf(row)];
  const actions = (row.actions as { id: string }[]).map((action) => ({
    ...action,
    pressedAt: ownValue(pressed, action.id),
    result: ownValue(results, action.id),
  }));
  const environment = row.isSandbox ? 'sandbox' : 'live';
  return { ...row, ...columns.parse({ ...row, actions }), environment, allowedTransitions: [...transitionsOf(row)] };
}

/** The value of a key that a client chose, such as `constructor`, which every object inherits. */
function ownValue<T>(values: Record<string, T>, key: string): T | null {
  return Object.hasOwn(values, key) ? (values[key] as T) : null;
}

/** When each action of a notification was pressed, by its id. */
export function pressedOf({ pressed }: NotificationRow): z.output<typeof Pressed> {
  return Pressed.parse(pressed);
}

/** The results of the operations that the actions of a notification carried out, by the ids of the actions. */
export function resultsOf({ results }: NotificationRow): z.output<typeof Results> {
  return Results.parse(results);
}

/**
 * The action of a notification, if the status of the notification lets it be pressed.
 * @throws ApiError 404 for an unknown action, 409 for a notification that is scheduled or cancelled
 */
export function checkPressable(row: NotificationRow, actionId: string): Action {
  const action = (row.actions as unknown as Action[]).find(({ id }) => id === actionId);
  if (!action) throw fail('not_found');
  if (row.status === 'scheduled' || row.status === 'cancelled') checkMove(row, 'read');
  return action;
}

/** The unread notifications of a user: what badges count. */
export function unreadOf(userId: number) {
  return { userId, status: 'delivered', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
}

/**
 * The user whose notifications the caller sees.
 * @throws ApiError 403 for a caller without a user
 */
export function recipientOf(caller: Caller): number {
  const userId = actingUserId(caller);
  if (userId === undefined) throw fail('forbidden');
  return userId;
}

/** Whether a notification is hidden because it has expired. */
export function isExpired({ expiresAt }: NotificationRow): boolean {
  return expiresAt !== null && expiresAt <= new Date();
}

/** Locks a notification of the caller, after the feed of its user. */
export async function lockOwn(tx: Tx, caller: Caller, id: number): Promise<NotificationRow> {
  const userId = recipientOf(caller);
  // Before the lock, which inserts a row of the feed: a user without notifications needs none.
  if (!(await tx.notification.findFirst({ where: { id, userId } }))) throw fail('not_found');
  await lockFeeds(tx, [userId]);
  const row = await tx.notification.lockFirst({ where: { id, userId } });
  if (!row || isExpired(row)) throw fail('not_found');
  return row;
}

/** Rejects changes of the status that the state table does not have. */
export function checkMove(row: NotificationRow, to: Status): void {
  const allowed = transitionsOf(row);
  if (!allowed.includes(to)) throw fail('transition_refused', [transitionError(row.status, allowed)]);
}

/** Whether the state table lets the platform change the status of a notification. */
export function canBecome(row: NotificationRow, to: Status): boolean {
  return notificationStates.has(statusOf(row.status), to);
}

function statusOf(status: string): Status {
  return columns.shape.status.parse(status);
}

/**
 * Writes a locked notification and puts the change into the feed of its user.
 * @throws Error if the state table does not have the change of the status
 */
export async function writeNotification(tx: Tx, row: NotificationRow, values: Partial<NotificationRow>) {
  const status = statusOf(values.status ?? row.status);
  if (status !== row.status && !canBecome(row, status))
    throw new Error(`The state table of notifications has no change from ${row.status} to ${status}`);
  const [written] = await tx.notification.updateManyAndReturn({
    where: { id: row.id },
    data: {
      ...(values as object),
      purgeAt: purgeTimeOf(status, values.scheduledFor ?? new Date()),
      version: { increment: 1 },
      updatedAt: new Date(),
    },
  });
  await appendToFeeds(tx, [row.id]);
  return written as NotificationRow;
}

function transitionsOf({ status, deliveredAt }: NotificationRow): readonly Status[] {
  if (status === 'scheduled' && deliveredAt === null) return ['cancelled'];
  return notificationStates.next(statusOf(status));
}
