import type { webhookStats, webhooks } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhookCatalog } from './get-webhook-catalog.ts';
import { getWebhookStats } from './get-webhook-stats.ts';
import { listWebhooks } from './list-webhooks.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhookHandlers = (tools: Tools) =>
  ({
    createWebhook: createWebhook(tools),
    listWebhooks,
    getWebhookCatalog,
    getWebhookStats,
    getWebhook,
    updateWebhook: updateWebhook(tools),
    deleteWebhook,
    rotateWebhookSecret: rotateWebhookSecret(tools),
    testWebhook: testWebhook(tools),
  }) satisfies Handlers<typeof webhooks & typeof webhookStats, Tx>;
