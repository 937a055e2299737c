import { actingUserId } from '@tandem/caller';
import { apiKeyCreated, type apiKeys } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkExpiry, checkKeyCeiling, checkKeyReach, permissionsToStore, storeKey } from './api-key.ts';
import { checkKeyLimits } from './key-limits.ts';

export const createApiKey =
  (tools: Tools): Handler<typeof apiKeys.createApiKey> =>
  async ({ body, caller, tx, emit }) => {
    const { name, environment, permissions: wanted = [], expiresAt = null } = body;
    const allowedIps = body.allowedIps ?? [];
    checkExpiry(expiresAt);
    const createdBy = actingUserId(caller);
    if (createdBy === undefined) throw fail('forbidden');
    const owned = { permissions: wanted, createdBy, ownerId: null };
    await checkKeyCeiling(tx, caller, owned);
    await checkKeyReach(tx, caller, createdBy);
    const permissions = await permissionsToStore(tx, caller, owned);
    await checkKeyLimits(tx, caller, { expiresAt, allowedIps });
    const key = await storeKey(
      tx,
      { name, environment, permissions, expiresAt, allowedIps, createdBy, ownerId: null },
      tools.pepper,
    );
    emit(apiKeyCreated, { data: { keyId: key.id }, record: key });
    return key;
  };
