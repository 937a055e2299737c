import { webhookSecretRotated, type webhooks } from '@tandem/integrations-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asSecret, newSecret, secretHint } from '../../outgoing/sign.ts';
import { sealSecret } from './sealed-parts.ts';
import { asWebhook, lockWebhook, writeWebhook } from './webhook.ts';

export const rotateWebhookSecret =
  (tools: Tools): Handler<typeof webhooks.rotateWebhookSecret> =>
  async ({ params, body, tx, emit, ifMatch }) => {
    const before = await lockWebhook(tx, params.id);
    ifMatch(before);
    const { graceSeconds } = body;
    const secret = body.secret === undefined ? newSecret() : asSecret(body.secret);
    const previousSecretExpiresAt = graceSeconds > 0 ? new Date(Date.now() + graceSeconds * 1_000) : null;
    const row = await writeWebhook(tx, before.id, {
      secret: sealSecret(tools.seal, before.sealRef, secret),
      secretHint: secretHint(secret),
      // Only one previous secret is kept, so rotating twice revokes a leaked one.
      previousSecret: graceSeconds > 0 ? before.secret : null,
      previousSecretExpiresAt,
    });
    emit(webhookSecretRotated, { data: { webhookId: row.id, previousSecretExpiresAt }, record: asWebhook(row) });
    return { id: row.id, secret, previousSecretExpiresAt };
  };
