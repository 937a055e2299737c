import { randomInt } from 'node:crypto';
import type { TestResult, webhooks } from '@tandem/integrations-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import { exampleEnvelope, firstEvent, isSubscribable } from '../../catalogue.ts';
import type { Handler, Tools } from '../../handler.ts';
import { headersOf } from '../../outgoing/sign.ts';
import { withinLimits } from '../../outgoing/within-limits.ts';
import { openHeaders, openSecrets } from './sealed-parts.ts';
import { findWebhook } from './webhook.ts';

/** Sends in `check`, because no transaction may be open while waiting for a receiver. */
export const testWebhook = (tools: Tools): Handler<typeof webhooks.testWebhook, z.output<typeof TestResult>> => ({
  async check({ params, body, tx }) {
    const webhook = await findWebhook(tx, params.id);
    const event = body.event ?? firstEvent(webhook.events);
    if (event.endsWith('*') || !isSubscribable(event))
      throw failField('event', 'Must be the name of an event in the catalogue');
    const envelope = exampleEnvelope(event, testEventId());
    const content = Buffer.from(JSON.stringify(envelope));
    const headers = headersOf({
      id: envelope.id,
      event,
      delivery: 'test',
      attempt: 1,
      environment: webhook.environment,
      body: content,
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
    const outcome = await withinLimits(tools.testLimits, webhook, send);
    const { statusCode, durationMs, error, responseBody } = outcome;
    return { event, succeeded: error === null, statusCode, durationMs, error, responseBody };
  },
  run({ found, message }) {
    if (!found.succeeded) message('Test not delivered; see error for the reason');
    return found;
  },
});

// Receivers ignore duplicate event ids, so each test has its own id in the format of event ids.
function testEventId(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
