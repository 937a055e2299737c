import type { deliveries } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { findWebhook } from '../webhooks/webhook.ts';
import { asDelivery } from './delivery.ts';

export const listDeliveries: Handler<typeof deliveries.listDeliveries> = async ({ params, query, tx, list }) => {
  await findWebhook(tx, params.id);
  const { status, event, from, to } = query;
  const page = await list({
    model: tx.delivery,
    where: { webhookId: params.id, ...(status && { status }), ...(event && { event }) },
    and: [...(from ? [{ createdAt: { gte: from } }] : []), ...(to ? [{ createdAt: { lte: to } }] : [])],
  });
  return { ...page, items: page.items.map(asDelivery) };
};
