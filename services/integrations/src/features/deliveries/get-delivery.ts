import type { Attempt, deliveries } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { findWebhook } from '../webhooks/webhook.ts';
import { asDelivery } from './delivery.ts';

const attemptsShown = 100;

export const getDelivery: Handler<typeof deliveries.getDelivery> = async ({ params, tx }) => {
  await findWebhook(tx, params.id);
  const row = await tx.delivery.findFirst({
    where: { id: params.deliveryId, webhookId: params.id },
    include: { attempts: { orderBy: { number: 'desc' }, take: attemptsShown } },
  });
  if (!row) throw fail('not_found');
  const event = await tx.event.findFirst({ where: { id: row.eventId }, select: { body: true } });
  const rawBody = event && Buffer.from(event.body).toString();
  const attempts = row.attempts.reverse() as unknown as z.output<typeof Attempt>[];
  return { ...asDelivery(row), payload: rawBody && JSON.parse(rawBody), rawBody, attempts };
};
