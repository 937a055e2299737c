import { type recoveries, webhookReplayRequested } from '@tandem/integrations-contract';
import { fail, failField } from '@tandem/service';
import { eventsOf, matches } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';
import { asWebhook, lockWebhook } from '../webhooks/webhook.ts';
import { countUnsent, replayJob } from './replay.job.ts';

export const replayWebhook: Handler<typeof recoveries.replayWebhook> = async ({ params, body, tx, emit, schedule }) => {
  if (body.until && body.until < body.since) throw failField('until', 'Must not be before since');
  const webhook = await lockWebhook(tx, params.id);
  checkSubscribed(webhook.events, body.events ?? []);
  if (!webhook.active) throw fail('webhook_inactive');
  const { since, until = null } = body;
  const now = new Date();
  const replay = {
    webhookId: webhook.id,
    kind: 'replay',
    since,
    until: until ?? now,
    events: eventsOf(body.events ?? webhook.events),
    createdAt: now,
  };
  const matched = await countUnsent(tx, replay);
  const { id } = await tx.recovery.create({ data: { ...replay, matched } });
  await schedule(replayJob, [{ recoveryId: id }]);
  emit(webhookReplayRequested, {
    data: { webhookId: webhook.id, since, until, events: body.events ?? null, matched },
    record: asWebhook(webhook),
  });
  return { jobId: id, status: 'queued' as const, matched };
};

/** Fails for events that the webhook does not subscribe to: a replay must not widen what was authorized. */
function checkSubscribed(subscribed: readonly string[], wanted: readonly string[]): void {
  const errors = wanted.flatMap((pattern, index) => {
    const names = eventsOf([pattern]);
    if (names.length && names.every((name) => matches(subscribed, name))) return [];
    const message = `Must be one of the events of the webhook (${subscribed.join(', ')})`;
    return [{ field: `events.${index}`, message }];
  });
  if (errors.length) throw fail('validation_failed', errors);
}
