import type { apiKeys } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createApiKey } from './create-api-key.ts';
import { getApiKey } from './get-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import { updateApiKey } from './update-api-key.ts';

export const apiKeyHandlers = (tools: Tools) =>
  ({
    createApiKey: createApiKey(tools),
    listApiKeys,
    getApiKey,
    updateApiKey: updateApiKey(tools),
    rotateApiKey: rotateApiKey(tools),
    revokeApiKey: revokeApiKey(tools),
  }) satisfies Handlers<typeof apiKeys, Tx>;
