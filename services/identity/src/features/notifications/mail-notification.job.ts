import { createHash } from 'node:crypto';
import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { readerOf, sendLetter } from '../account/account-mail.ts';
import { lockFeeds } from './feed.ts';
import { canBecome, isExpired, writeNotification } from './notification.ts';
import { notificationLetter } from './notification-letter.ts';

/** Job that sends a notification by e-mail, then waits for the answer of the mail server. */
export const mailNotificationJob = {
  name: 'mail-notification',
  payload: z.object({ id: id('notification'), ref: z.uuid() }),
};

// Most messages are sent within seconds; one that a mail server postpones takes up to a day.
const soonMs = 10_000;
const laterMs = 5 * 60_000;

/**
 * The ref of a notification's message. It follows from the notification, so that further jobs, which a notification gets
 * when it is delivered again, find the message that was queued before.
 */
export function mailRefOf({ tenantId, id }: { tenantId: number; id: number }): string {
  const hex = createHash('sha256').update(`notification ${tenantId} ${id}`).digest('hex');
  // Version 8 of RFC 9562: a UUID with content of our own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A message is queued once, however many jobs the notification has: its row has the ref of the jobs. */
export const mailNotification = (tools: Pick<Tools, 'mail' | 'consoleUrl' | 'feeds'>) =>
  job({
    ...mailNotificationJob,
    async run({ payload, finish }: JobContext<z.output<typeof mailNotificationJob.payload>, Tx>) {
      await finish(async (inside) => {
        const { tx } = inside;
        const found = await tx.notification.findFirst({ where: { id: payload.id, emailStatus: 'pending' } });
        if (!found) return undefined;
        await lockFeeds(tx, [found.userId]);
        const row = await tx.notification.lockFirst({ where: { id: payload.id, emailStatus: 'pending' } });
        if (!row) return undefined;
        const state = (await stateOf(tx, payload.ref)) ?? (await queue(inside, row, { ...tools, ref: payload.ref }));
        if (state === 'queued') return new Date(Date.now() + (isRecent(row) ? soonMs : laterMs));
        // Without the inbox, nothing but the e-mail delivers the notification.
        const hasFailed = state === 'failed' && !row.channels.includes('in_app') && canBecome(row, 'failed');
        await writeNotification(tx, row, { emailStatus: state, ...(hasFailed && { status: 'failed' }) });
        return undefined;
      });
    },
  });

type State = 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped';

/** The state of a message that was queued; undefined before. */
async function stateOf(tx: Tx, ref: string): Promise<State | undefined> {
  const [mail] = await tx.sql<{ state: State }>`SELECT state FROM platform.mail WHERE ref = ${ref}::uuid`;
  return mail?.state;
}

async function queue(
  inside: Parameters<typeof sendLetter>[0],
  row: NotificationRow,
  { ref, ...tools }: Pick<Tools, 'mail' | 'consoleUrl'> & { ref: string },
): Promise<State> {
  const { tx } = inside;
  const user = await tx.user.findFirst({ where: { id: row.userId, status: 'active' } });
  const isSeen = row.readAt !== null || (row.channels.includes('in_app') && row.status !== 'delivered');
  if (!user || isSeen || isExpired(row)) return 'skipped';
  const letter = notificationLetter(await readerOf(tx, user), row, {
    consoleUrl: tools.consoleUrl,
    signature: await signatureOf(tx, row),
  });
  const message = { to: user.email, template: 'notification', letter, kind: 'bulk' as const, ref };
  return (await sendLetter(inside, tools, message)) ? 'queued' : 'failed';
}

/** The signature of the user who created the notification; null for notifications of the platform. */
async function signatureOf(tx: Tx, { batchId }: NotificationRow): Promise<string | null> {
  const batch = await tx.notificationBatch.findFirst({ where: { id: batchId }, select: { createdBy: true } });
  if (!batch?.createdBy) return null;
  const own = await tx.userPreference.findFirst({ where: { userId: batch.createdBy }, select: { signature: true } });
  return own?.signature ?? null;
}

function isRecent({ mailAt }: NotificationRow): boolean {
  return mailAt !== null && Date.now() - mailAt.getTime() < laterMs;
}
