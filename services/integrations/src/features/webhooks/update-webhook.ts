import { hiddenValue, webhookRecovered, type webhooks, webhookUpdated } from '@tandem/integrations-contract';
import { diff, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Webhook as WebhookRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { endWaiting } from '../deliveries/delivery.ts';
import { freshClock } from './health.ts';
import { sealHeaders } from './sealed-parts.ts';
import {
  asWebhook,
  authorizationOf,
  authorizerOf,
  checkGiven,
  checkMayReceive,
  lockWebhook,
  writeWebhook,
} from './webhook.ts';

type Given = z.output<typeof webhooks.updateWebhook.body>;

export const updateWebhook = (tools: Tools): Handler<typeof webhooks.updateWebhook> => ({
  check: ({ body, caller }) => checkGiven(tools, body, caller.environment),
  async run({ params, body, caller, tx, emit, ifMatch }) {
    const before = await lockWebhook(tx, params.id);
    ifMatch(before);
    checkHeadersStayHome(before, body);
    const { customHeaders, ...given } = body;
    const { values: plain, audit } = diff(before, given);
    const enables =
      given.active === true && (!before.active || before.failureSince !== null || before.pausedUntil !== null);
    const authorizes = given.active === true || 'url' in plain || 'events' in plain;
    const fields = [...Object.keys(plain), ...(customHeaders ? ['customHeaders'] : [])];
    const authorization = authorizationOf(caller);
    const { authorizedPermissions } = before;
    const reauthorized = diff({ authorizedBy: authorizerOf(before), authorizedPermissions }, authorization);
    const takesOver = authorizes && !reauthorized.isEmpty;
    if (!fields.length && !enables && !takesOver) return asWebhook(before);

    if (authorizes) checkMayReceive(caller, given.events ?? before.events);
    const row = await writeWebhook(tx, before.id, {
      ...plain,
      ...(authorizes && authorization),
      ...(customHeaders && sealHeaders(tools.seal, before.sealRef, customHeaders)),
      ...('rateLimitPerSecond' in plain && { nextSlotAt: null }),
      ...(enables && {
        ...freshClock,
        disabledReason: null,
        disabledAt: null,
        enabledAt: new Date(),
        lastSuccessAt: null,
      }),
    });
    if (before.active && !row.active) await endWaiting(tx, row.id, 'skipped');
    const webhook = asWebhook(row);
    emit(webhookUpdated, {
      data: { webhookId: row.id, fields },
      record: webhook,
      changes: {
        ...audit,
        ...(takesOver && reauthorized.audit),
        ...(customHeaders && auditHeaders(before, customHeaders)),
      },
    });
    if (enables && before.disabledReason) emit(webhookRecovered, { data: { webhookId: row.id }, record: webhook });
    return webhook;
  },
});

/**
 * Custom headers are passwords of one receiver, shown to nobody: whoever sends deliveries to another host must know them,
 * or could read them there. The signing secret needs no such care: it signs, it is not sent.
 */
function checkHeadersStayHome({ url, customHeaderNames }: WebhookRow, given: Given): void {
  if (given.url === undefined || given.customHeaders || !customHeaderNames.length) return;
  if (new URL(given.url).origin === new URL(url).origin) return;
  throw failField(
    'customHeaders',
    `Must be given with an address on another host; now set: ${customHeaderNames.join(', ')}. {} removes them`,
  );
}

/** The values of headers are secrets; which ones there are is none. */
function auditHeaders({ customHeaderNames }: WebhookRow, given: Record<string, string>) {
  const names = (list: string[]) => Object.fromEntries(list.map((name) => [name, hiddenValue]));
  return { customHeaders: { from: names(customHeaderNames), to: names(Object.keys(given)) } };
}
