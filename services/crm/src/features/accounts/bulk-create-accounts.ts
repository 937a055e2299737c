import { bulkAccounts } from '@tandem/crm-contract';
import { bulkItemOperation } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { addAccount } from './add-account.ts';
import { checkOwners } from './bulk-accounts.ts';
import { lockKeys } from './lock-keys.ts';

type Body = z.output<typeof bulkAccounts.bulkCreateAccounts.body>;

export const bulkCreateAccounts = (peers: Peers) =>
  bulkItemOperation({
    row: bulkAccounts.bulkCreateAccounts,
    check: ({ body, caller }) => checkOwners(peers, body.items, caller),
    prepare: ({ tx, body }: { tx: Tx; body: Body }) => lockKeys(tx, body.items),
    async write({ tx, emit, caller, item: body, found: owners }) {
      const { id } = await addAccount({ tx, emit }, { body, caller, owner: owners.get(body.ownerId ?? 0) });
      return { id, outcome: 'created' as const };
    },
  });
