import { Notification } from '@tandem/identity-contract';
import { storedObject } from '@tandem/service';
import type { z } from 'zod';
import type { Notification as NotificationRow } from '../../generated/client.ts';

const columns = Notification.pick({ priority: true, status: true, channels: true, actions: true }).extend({
  data: storedObject,
});

/** Converts a row to the API resource. */
export function asNotification(row: NotificationRow): z.output<typeof Notification> {
  return { ...row, ...columns.parse(row) };
}
