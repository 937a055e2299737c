import { randomInt } from 'node:crypto';
import type { webhooks } from '@tandem/integrations-contract';
import { failField } from '@tandem/service';
import { exampleEnvelope, firstEvent, isSubscribable } from '../../catalogue.ts';
import type { Handler, Tools } from '../../handler.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { headersOf } from '../../outgoing/sign.ts';
import { withinLimits } from '../../outgoing/within-limits.ts';
import { logOutgoing } from '../api-logs/log-outgoing.ts';
import { applyFilter } from './filter.ts';
import { openHeaders, openSecrets } from './sealed-parts.ts';
import { findWebhook } from './webhook.ts';

interface Sent {
  event: string;
  url: string;
  content: Buffer;
  matchesFilter: boolean | null;
  outcome: Outcome;
}

/** Sends in `check`, because no transaction may be open while waiting for a receiver. */
export const testWebhook = (tools: Tools): Handler<typeof webhooks.testWebhook, Sent> => ({
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
    const matchesFilter = webhook.filter === null ? null : applyFilter(webhook.filter, envelope) === 'match';
    return { event, url, content, matchesFilter, outcome: await withinLimits(tools.testLimits, webhook, send) };
  },
  async run({ found: { event, url, content, matchesFilter, outcome }, caller, tx, message }) {
    const { statusCode, durationMs, error, responseBody } = outcome;
    await logOutgoing(tx, caller, [{ ...outcome, method: 'POST', url, requestBody: content.toString() }]);
    if (error) message('Test not delivered; see error for the reason');
    return { event, succeeded: error === null, matchesFilter, statusCode, durationMs, error, responseBody };
  },
});

// Receivers ignore duplicate event ids, so each test has its own id in the format of event ids.
function testEventId(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
