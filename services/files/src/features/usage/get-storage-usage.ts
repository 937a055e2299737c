import type { retention } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { limitOf, type StorageLimit } from './storage-limit.ts';

export const getStorageUsage = ({
  storageLimitOf,
}: Tools): Handler<typeof retention.getStorageUsage, StorageLimit> => ({
  check: ({ caller }) => storageLimitOf(caller),
  async run({ found: current, tx }) {
    const usage = await tx.storageUsage.findFirst({ where: {} });
    return { usedBytes: usage?.usedBytes ?? 0, limitBytes: limitOf(current, usage), files: usage?.files ?? 0 };
  },
});
