import { type deliveries, deliveryRetried } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { findWebhook } from '../webhooks/webhook.ts';
import { deliverJob, lockDelivery } from './delivery.ts';

const finished = ['succeeded', 'failed', 'skipped'];

export const retryDelivery: Handler<typeof deliveries.retryDelivery> = async ({ params, tx, emit, schedule }) => {
  const webhook = await findWebhook(tx, params.id);
  const delivery = await lockDelivery(tx, params.id, params.deliveryId);
  if (!webhook.active) throw fail('webhook_inactive');
  if (!finished.includes(delivery.status)) {
    throw fail('delivery_not_finished', [
      { field: 'status', message: `The status is ${delivery.status}; it must be one of ${finished.join(', ')}` },
    ]);
  }
  if (!(await tx.event.count({ where: { id: delivery.eventId } }))) throw fail('payload_gone');
  await schedule(deliverJob, [{ deliveryId: delivery.id, round: delivery.round, trigger: 'manual' as const }]);
  emit(deliveryRetried, { data: { webhookId: params.id, deliveryId: delivery.id }, record: delivery });
  return delivery;
};
