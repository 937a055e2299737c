import { webhookDeleted, type webhooks } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { endPendingDeliveries } from '../deliveries/delivery.ts';
import { asWebhook, lockWebhook, writeWebhook } from './webhook.ts';

export const deleteWebhook: Handler<typeof webhooks.deleteWebhook> = async ({ params, tx, emit, ifMatch }) => {
  const before = await lockWebhook(tx, params.id);
  ifMatch(before);
  // The row stays for its deliveries, but without its secrets. An empty secret is no encrypted value (`SealedColumn`).
  const row = await writeWebhook(tx, before.id, {
    deletedAt: new Date(),
    active: false,
    secret: '',
    previousSecret: null,
    previousSecretExpiresAt: null,
    customHeaders: null,
  });
  await endPendingDeliveries(tx, row.id, 'cancelled');
  emit(webhookDeleted, { data: { webhookId: row.id }, record: asWebhook(row) });
  return { id: row.id, deleted: true };
};
