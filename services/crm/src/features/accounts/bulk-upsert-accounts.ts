import { bulkAccounts } from '@tandem/crm-contract';
import { bulkItemOperation, fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { lockAccount } from './account.ts';
import { addAccount } from './add-account.ts';
import { checkOwners } from './bulk-accounts.ts';
import { changeAccount } from './change-account.ts';
import { lockKeys } from './lock-keys.ts';

type Body = z.output<typeof bulkAccounts.bulkUpsertAccounts.body>;

export const bulkUpsertAccounts = (peers: Peers) =>
  bulkItemOperation({
    row: bulkAccounts.bulkUpsertAccounts,
    async check({ body, caller }) {
      const missing = body.items.flatMap((item, index) =>
        item[body.key] ? [] : [{ field: `items.${index}.${body.key}`, message: 'Is required, because it is the key' }],
      );
      if (missing.length) throw fail('validation_failed', missing);
      return checkOwners(peers, body.items, caller);
    },
    async prepare({ tx, body }: { tx: Tx; body: Body }) {
      await lockKeys(tx, body.items);
      return { seen: new Set<string>() };
    },
    async write({ tx, emit, caller, body: { key }, item, found: owners, prepared: { seen } }) {
      const value = item[key] as string;
      if (seen.has(value)) throw fail('duplicate_in_request', [{ field: key, message: 'Must occur once' }]);
      seen.add(value);
      const owner = owners.get(item.ownerId ?? 0);
      // Only accounts that the caller can access; the key of another one is taken.
      const existing = await tx.account.findFirst({ where: { [key]: value, deletedAt: null }, select: { id: true } });
      if (!existing) {
        if (!item.name) throw failField('name', 'Is required, because no account has the key yet');
        const body = { ...item, name: item.name };
        const { id } = await addAccount({ tx, emit }, { body, caller, owner });
        return { id, outcome: 'created' as const };
      }
      const account = await lockAccount(tx, existing.id);
      const updated = await changeAccount({ tx, emit }, { account, change: item, owner });
      return { id: account.id, outcome: updated.version === account.version ? 'unchanged' : 'updated' };
    },
  });
