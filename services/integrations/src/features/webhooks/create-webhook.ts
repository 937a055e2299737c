import { randomUUID } from 'node:crypto';
import { webhookCreated, type webhooks, webhooksMax } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { newSecret, secretHint } from '../../outgoing/sign.ts';
import { sealHeaders, sealSecret } from './sealed-parts.ts';
import { asWebhook, authorizationOf, checkMayReceive, checkUrlAndEvents, toFilterColumn } from './webhook.ts';

export const createWebhook = (tools: Tools): Handler<typeof webhooks.createWebhook> => ({
  check: ({ body, caller }) => checkUrlAndEvents(tools, body, caller.environment),
  async run({ body, caller, tx, emit }) {
    checkMayReceive(caller, body.events);
    await checkWebhookLimit(tx);
    const { customHeaders = {}, events, filter, ...fields } = body;
    const authorization = authorizationOf(caller);
    const sealRef = randomUUID();
    const secret = newSecret();
    const row = await tx.webhook.create({
      data: {
        ...fields,
        events: [...new Set(events)],
        filter: toFilterColumn(filter ?? null),
        sealRef,
        secret: sealSecret(tools.seal, sealRef, secret),
        secretHint: secretHint(secret),
        ...sealHeaders(tools.seal, sealRef, customHeaders),
        createdBy: authorization.authorizedBy,
        ...authorization,
      },
    });
    const webhook = asWebhook(row);
    emit(webhookCreated, { data: { webhookId: webhook.id }, record: webhook });
    return { ...webhook, secret };
  },
});

/** Counts all webhooks, including those hidden from the caller, and blocks concurrent creation with a lock. */
async function checkWebhookLimit(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('webhooks', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const [found] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook WHERE deleted_at IS NULL`;
  if ((found?.count ?? 0) >= webhooksMax) throw fail('too_many_webhooks');
}
