import type { Emit } from '@tandem/events';
import {
  type NotificationAction,
  type NotificationChannel,
  type NotificationPriority,
  notificationCreated,
} from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { type Texts, textFor } from '../../letters.ts';
import { readLocales } from '../preferences/preference.ts';
import { createBatch } from './batch.ts';

type NoticeAction = Omit<z.input<typeof NotificationAction>, 'label'> & { label: Texts };

/** A notification from the platform itself. Each recipient gets it in the language of their preferences. */
export interface Notice {
  userIds: readonly number[];
  title: Texts;
  body: Texts;
  /** The category for which users choose channels, such as `assignments`. */
  category: string;
  data: object;
  /** `normal` by default. `high` also sends e-mails in the quiet hours. */
  priority?: z.output<typeof NotificationPriority>;
  /** The channels of users without a choice for the category; in_app by default. */
  channels?: readonly z.output<typeof NotificationChannel>[];
  /** At most three buttons. */
  actions?: readonly NoticeAction[];
  /** Takes the place of unread notifications with the same key. */
  groupKey?: string;
  /** The number of records, if the notice replaces one notice for each; 1 by default. */
  groupCount?: number;
  /** The environment of the event behind it: for sandbox no e-mail is sent. `live` by default. */
  environment?: 'live' | 'sandbox';
  expiresAt?: Date;
}

/**
 * Notifies users from the platform, in the transaction of the change that the notice is about. Each user's preferences
 * decide the channels; e-mails are sent after the commit.
 */
export async function notify(tx: Tx, emit: Emit<typeof notificationCreated>, notice: Notice): Promise<void> {
  const { userIds, category } = notice;
  if (!userIds.length) return;
  const locales = await readLocales(tx, userIds);
  const textsIn = (reader: { locale: string; timezone: string; dateFormat: string | null }) => ({
    title: textFor(reader, notice.title),
    body: textFor(reader, notice.body),
    actions: (notice.actions ?? []).map(({ label, ...action }) => ({
      style: 'secondary',
      ...action,
      label: textFor(reader, label),
    })),
  });
  // The event, which the audit log keeps, has the English text.
  const english = textsIn({ locale: 'en', timezone: 'UTC', dateFormat: null });
  const { batchId } = await createBatch(
    tx,
    {
      ...english,
      category,
      data: notice.data,
      priority: notice.priority ?? 'normal',
      channels: notice.channels ?? ['in_app'],
      groupKey: notice.groupKey ?? null,
      isSandbox: notice.environment === 'sandbox',
      expiresAt: notice.expiresAt ?? null,
      scheduledFor: null,
      ...(notice.groupCount !== undefined && { groupCount: notice.groupCount }),
    },
    { userIds, createdBy: null, textFor: (userId) => textsIn(locales.of(userId)) },
  );
  emit(notificationCreated, {
    data: { batchId, userIds: [...userIds], title: english.title },
    record: { id: batchId, recipients: userIds.length, category, scheduledFor: null },
  });
}
