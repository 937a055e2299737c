import type { webhooks } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asWebhook } from './webhook.ts';

export const listWebhooks: Handler<typeof webhooks.listWebhooks> = async ({ query, tx, list }) => {
  const { active } = query;
  const page = await list({
    model: tx.webhook,
    where: { deletedAt: null, ...(active !== undefined && { active }) },
    searchIn: ['url', 'description'],
  });
  return { ...page, items: page.items.map(asWebhook) };
};
