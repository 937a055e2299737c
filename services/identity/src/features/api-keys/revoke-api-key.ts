import { apiKeyRevoked, type apiKeys } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asApiKey, lockKey } from './api-key.ts';

export const revokeApiKey =
  (tools: Tools): Handler<typeof apiKeys.revokeApiKey> =>
  async ({ params, tx, emit, ifMatch, afterCommit }) => {
    const before = await lockKey(tx, params.id);
    // Repeated calls invalidate again, because the first invalidation may have been lost.
    afterCommit(() => tools.invalidateCredentials({ keyId: before.id }));
    if (before.revokedAt) return asApiKey(before);
    ifMatch(before);
    const [row] = await tx.apiKey.updateManyAndReturn({
      where: { id: before.id },
      data: { revokedAt: new Date(), version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    const key = asApiKey(row);
    const changes = { status: { from: asApiKey(before).status, to: key.status } };
    emit(apiKeyRevoked, { data: { keyId: key.id }, record: key, changes });
    return key;
  };
