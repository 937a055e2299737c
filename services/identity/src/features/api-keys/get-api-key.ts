import type { apiKeys } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asApiKey } from './api-key.ts';

export const getApiKey: Handler<typeof apiKeys.getApiKey> = async ({ params, tx }) => {
  const row = await tx.apiKey.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asApiKey(row);
};
