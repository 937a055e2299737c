import { type apiKeys, apiKeyUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import {
  asApiKey,
  checkActive,
  checkExpiry,
  checkKeyCeiling,
  checkKeyRank,
  lockKey,
  permissionsToStore,
} from './api-key.ts';
import { checkKeyLimits } from './key-limits.ts';

export const updateApiKey =
  (tools: Tools): Handler<typeof apiKeys.updateApiKey> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const before = await lockKey(tx, params.id);
    ifMatch(before);
    checkActive(before);
    checkExpiry(body.expiresAt);
    const { allowedIps, ...fields } = body;
    const input = { ...fields, ...(allowedIps !== undefined && { allowedIps: allowedIps ?? [] }) };
    const { isEmpty, values, audit } = diff(before, input);
    if (isEmpty) return asApiKey(before);
    // A caller who could not have created this key may revoke it, but not change it.
    await checkKeyRank(tx, caller, before);
    if (values.permissions) {
      const wanted = { ...before, permissions: values.permissions };
      await checkKeyCeiling(tx, caller, wanted);
      values.permissions = await permissionsToStore(tx, caller, wanted);
      if (audit['permissions']) audit['permissions'].to = values.permissions;
    }
    // With more permissions, a key without these limits would be a way around them too.
    if (values.permissions || values.expiresAt !== undefined || values.allowedIps)
      await checkKeyLimits(tx, caller, { ...before, ...values });
    const [row] = await tx.apiKey.updateManyAndReturn({
      where: { id: before.id },
      data: { ...values, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    const key = asApiKey(row);
    emit(apiKeyUpdated, { data: { keyId: key.id }, record: key, changes: audit });
    afterCommit(() => tools.invalidateCredentials({ keyId: key.id }));
    return key;
  };
