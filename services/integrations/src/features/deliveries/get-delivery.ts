import { Attempt, type deliveries } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { mayReceive } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';
import { findWebhook } from '../webhooks/webhook.ts';
import { asDelivery } from './delivery.ts';

const columns = Attempt.pick({ trigger: true, error: true, requestHeaders: true, responseHeaders: true });
const attemptsShown = 100;

export const getDelivery: Handler<typeof deliveries.getDelivery> = async ({ params, caller, tx }) => {
  await findWebhook(tx, params.id);
  const row = await tx.delivery.findFirst({
    where: { id: params.deliveryId, webhookId: params.id },
    include: { attempts: { orderBy: { number: 'desc' }, take: attemptsShown } },
  });
  if (!row) throw fail('not_found');
  const isReadable = mayReceive(caller.permissions, row.event);
  const event = isReadable && (await tx.event.findFirst({ where: { id: row.eventId }, select: { body: true } }));
  const rawBody = event ? Buffer.from(event.body).toString() : null;
  const shown = row.attempts.reverse().map((attempt) => ({ ...attempt, ...columns.parse(attempt) }));
  // A response may echo the payload.
  const attempts = isReadable ? shown : shown.map((one) => ({ ...one, responseHeaders: null, responseBody: null }));
  return { ...asDelivery(row), payload: rawBody && JSON.parse(rawBody), rawBody, attempts };
};
