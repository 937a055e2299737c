import type { Notification } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Notification as NotificationRow } from '../../generated/client.ts';

/** Converts a row to the API resource. */
export function asNotification(row: NotificationRow): z.output<typeof Notification> {
  return row as unknown as z.output<typeof Notification>;
}
