import type { internalSecrets } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { listOutdatedKeys } from './list-outdated-keys.ts';
import { rehashAddresses } from './rehash-addresses.ts';

export const secretHandlers = (tools: Tools) =>
  ({
    listOutdatedKeys: listOutdatedKeys(tools),
    rehashAddresses: rehashAddresses(tools),
  }) satisfies Handlers<typeof internalSecrets, Tx>;
