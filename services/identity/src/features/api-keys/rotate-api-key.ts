import { apiKeyCreated, apiKeyRotated, type apiKeys } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asApiKey, checkActive, checkKeyRank, lockKey, permissionsToStore, storeKey } from './api-key.ts';
import { checkKeyLimits } from './key-limits.ts';

export const rotateApiKey =
  (tools: Tools): Handler<typeof apiKeys.rotateApiKey> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const before = await lockKey(tx, params.id);
    ifMatch(before);
    checkActive(before);
    // The caller receives the new key, which must not exceed the caller's own permissions.
    await checkKeyRank(tx, caller, before);
    await checkKeyLimits(tx, caller, before);
    const overlapEnds = new Date(Date.now() + body.overlapSeconds * 1_000);
    const expiresAt = before.expiresAt && before.expiresAt < overlapEnds ? before.expiresAt : overlapEnds;
    const [row] = await tx.apiKey.updateManyAndReturn({
      where: { id: before.id },
      data: { expiresAt, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');

    const permissions = await permissionsToStore(tx, caller, before);
    const { name, allowedIps, createdBy, ownerId } = before;
    const old = asApiKey(row);
    const { environment } = old;
    const copy = {
      name,
      environment,
      permissions,
      allowedIps,
      createdBy,
      ownerId,
      expiresAt: before.expiresAt,
      rotatedFrom: before.id,
    };
    const key = await storeKey(tx, copy, tools.pepper);
    const changes = { expiresAt: { from: before.expiresAt, to: expiresAt } };
    emit(apiKeyRotated, { data: { keyId: old.id, newKeyId: key.id, expiresAt }, record: old, changes });
    emit(apiKeyCreated, { data: { keyId: key.id }, record: key });
    afterCommit(() => tools.invalidateCredentials({ keyId: old.id }));
    return key;
  };
