import type { TestResult, webhooks } from '@tandem/integrations-contract';
import { failField, failFor } from '@tandem/service';
import type { z } from 'zod';
import { exampleEnvelope, firstEvent, isSubscribable } from '../../catalogue.ts';
import type { Webhook as WebhookRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { headersOf } from '../../outgoing/sign.ts';
import { openHeaders, openSecrets } from './sealed-parts.ts';
import { findWebhook } from './webhook.ts';

/** Sends in its check: no transaction may be open while a receiver takes its time. */
export const testWebhook = (tools: Tools): Handler<typeof webhooks.testWebhook, z.output<typeof TestResult>> => ({
  async check({ params, body, tx }) {
    const webhook = await findWebhook(tx, params.id);
    const event = body.event ?? firstEvent(webhook.events);
    if (event.endsWith('*') || !isSubscribable(event)) throw failField('event', 'Must be an event of the catalogue');
    const envelope = exampleEnvelope(event);
    const content = Buffer.from(JSON.stringify(envelope));
    const headers = headersOf({
      ...{ id: envelope.id, event, delivery: 'test', attempt: 1, environment: webhook.environment, body: content },
      timestamp: Math.floor(Date.now() / 1_000),
      secrets: openSecrets(tools.seal, webhook),
      isTest: true,
    });
    const { url, environment } = webhook;
    const send = () =>
      tools.sender.send({
        url,
        environment,
        headers: [...headers, ...openHeaders(tools.seal, webhook)],
        body: content,
      });
    const outcome = await inTurn(tools.testTurns, webhook, send);
    const { statusCode, durationMs, error, responseBody } = outcome;
    return { event, succeeded: error === null, statusCode, durationMs, error, responseBody };
  },
  run: ({ found }) => found,
});

/** The gateway holds a connection for as long as a test takes: one tenant must not take them all, nor all tenants. */
async function inTurn<T>({ own, all }: Tools['testTurns'], webhook: WebhookRow, work: () => Promise<T>): Promise<T> {
  const turns: { end(): void }[] = [];
  try {
    for (const [kind, tenant] of [
      [own, String(webhook.tenantId)],
      [all, 'all'],
    ] as const) {
      const turn = await kind.take({ tenant, webhook: String(webhook.id), alone: false });
      if ('askAt' in turn) throw failFor((turn.askAt.getTime() - Date.now()) / 1_000, 'too_many_tests');
      turns.push(turn);
    }
    return await work();
  } finally {
    for (const turn of turns) turn.end();
  }
}
