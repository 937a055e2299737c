import type { apiKeys } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asApiKey, whereStatus } from './api-key.ts';

export const listApiKeys: Handler<typeof apiKeys.listApiKeys> = async ({ query, tx, list }) => {
  const { environment, status, createdBy } = query;
  const page = await list({
    model: tx.apiKey,
    where: {
      ...(environment && { keyEnvironment: environment }),
      ...(status && whereStatus(status)),
      ...(createdBy !== undefined && { createdBy }),
    },
    searchIn: ['name'],
  });
  return { ...page, items: page.items.map(asApiKey) };
};
