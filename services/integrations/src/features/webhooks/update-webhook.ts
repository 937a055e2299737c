import { hiddenValue, webhookRecovered, type webhooks, webhookUpdated } from '@tandem/integrations-contract';
import { diff, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Webhook as WebhookRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { endPendingDeliveries } from '../deliveries/delivery.ts';
import { healthyState } from './health.ts';
import { sealHeaders } from './sealed-parts.ts';
import {
  asWebhook,
  authorizationOf,
  authorizerOf,
  checkMayReceive,
  checkUrlAndEvents,
  lockWebhook,
  toFilterColumn,
  writeWebhook,
} from './webhook.ts';

type UpdateBody = z.output<typeof webhooks.updateWebhook.body>;

export const updateWebhook = (tools: Tools): Handler<typeof webhooks.updateWebhook> => ({
  check: ({ body, caller }) => checkUrlAndEvents(tools, body, caller.environment),
  async run({ params, body, caller, tx, emit, ifMatch }) {
    const before = await lockWebhook(tx, params.id);
    ifMatch(before);
    checkHeadersForNewHost(before, body);
    const { customHeaders, ...input } = body;
    const { values: changedValues, audit } = diff(before, input);
    const isEnabling =
      input.active === true && (!before.active || before.failureSince !== null || before.pausedUntil !== null);
    const isAuthorizing = input.active === true || 'url' in changedValues || 'events' in changedValues;
    const fields = [...Object.keys(changedValues), ...(customHeaders ? ['customHeaders'] : [])];
    const authorization = authorizationOf(caller);
    const { authorizedPermissions } = before;
    const reauthorized = diff({ authorizedBy: authorizerOf(before), authorizedPermissions }, authorization);
    const isReauthorizing = isAuthorizing && !reauthorized.isEmpty;
    if (!fields.length && !isEnabling && !isReauthorizing) return asWebhook(before);

    if (isAuthorizing) checkMayReceive(caller, input.events ?? before.events);
    const { filter, ...plain } = changedValues;
    const row = await writeWebhook(tx, before.id, {
      ...plain,
      ...(filter !== undefined && { filter: toFilterColumn(filter) }),
      ...(isAuthorizing && authorization),
      ...(customHeaders && sealHeaders(tools.seal, before.sealRef, customHeaders)),
      ...('rateLimitPerSecond' in changedValues && { nextSlotAt: null }),
      ...(isEnabling && {
        ...healthyState,
        disabledReason: null,
        disabledAt: null,
        enabledAt: new Date(),
        lastSuccessAt: null,
      }),
    });
    if (before.active && !row.active) await endPendingDeliveries(tx, row.id, 'skipped');
    const webhook = asWebhook(row);
    emit(webhookUpdated, {
      data: { webhookId: row.id, fields },
      record: webhook,
      changes: {
        ...audit,
        ...(isReauthorizing && reauthorized.audit),
        ...(customHeaders && auditHeaders(before, customHeaders)),
      },
    });
    if (isEnabling && before.disabledReason) emit(webhookRecovered, { data: { webhookId: row.id }, record: webhook });
    return webhook;
  },
});

/**
 * Custom headers may contain credentials of a receiver, so a URL on another host requires sending them again: otherwise
 * the new host would receive them. The signing secret is never sent, so it needs no check.
 */
function checkHeadersForNewHost({ url, customHeaderNames }: WebhookRow, body: UpdateBody): void {
  if (body.url === undefined || body.customHeaders || !customHeaderNames.length) return;
  if (new URL(body.url).origin === new URL(url).origin) return;
  throw failField(
    'customHeaders',
    `Is required when url changes to another host; send ${customHeaderNames.join(', ')} again, or {} to remove them`,
  );
}

/** Audits header names only, because header values are secret. */
function auditHeaders({ customHeaderNames }: WebhookRow, headers: Record<string, string>) {
  const names = (list: string[]) => Object.fromEntries(list.map((name) => [name, hiddenValue]));
  return { customHeaders: { from: names(customHeaderNames), to: names(Object.keys(headers)) } };
}
