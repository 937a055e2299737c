import { type recoveries, webhookRecoveryRequested } from '@tandem/integrations-contract';
import { fail, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asWebhook, lockWebhook } from '../webhooks/webhook.ts';
import { missedDeliveries, recoverJob } from './recover.job.ts';

export const recoverWebhook: Handler<typeof recoveries.recoverWebhook> = async ({
  params,
  body,
  tx,
  emit,
  schedule,
}) => {
  if (body.until && body.until < body.since) throw failField('until', 'Must not be before since');
  const webhook = await lockWebhook(tx, params.id);
  if (!webhook.active) throw fail('webhook_inactive');
  const { since, until } = body;
  const now = new Date();
  const range = { webhookId: webhook.id, since, until: until ?? now };
  const matched = await tx.delivery.count({ where: missedDeliveries({ ...range, createdAt: now }) });
  const recovery = await tx.recovery.create({ data: { ...range, matched, createdAt: now } });
  await schedule(recoverJob, [{ recoveryId: recovery.id }]);
  emit(webhookRecoveryRequested, {
    data: { webhookId: webhook.id, since, until: until ?? null, matched },
    record: asWebhook(webhook),
  });
  return { jobId: recovery.id, status: 'queued' as const, matched };
};
