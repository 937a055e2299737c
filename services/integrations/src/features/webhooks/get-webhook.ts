import type { webhooks } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asWebhook, findWebhook } from './webhook.ts';

export const getWebhook: Handler<typeof webhooks.getWebhook> = async ({ params, tx }) =>
  asWebhook(await findWebhook(tx, params.id));
