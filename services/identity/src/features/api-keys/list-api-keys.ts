import type { apiKeys } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asApiKey, whereOwner, whereStatus } from './api-key.ts';

export const listApiKeys: Handler<typeof apiKeys.listApiKeys> = async ({ query, tx, list }) => {
  const { environment, status, createdBy, ownerId } = query;
  const page = await list({
    model: tx.apiKey,
    where: {
      ...(environment && { keyEnvironment: environment }),
      ...(status && whereStatus(status)),
      ...(createdBy !== undefined && { createdBy }),
    },
    // Beside `where`, because the conditions on status and owner both are alternatives.
    and: ownerId === undefined ? [] : [whereOwner(ownerId)],
    searchIn: ['name'],
  });
  return { ...page, items: page.items.map(asApiKey) };
};
