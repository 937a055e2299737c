import type { retention } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';

export const getStorageUsage = ({
  storageLimitOf,
}: Tools): Handler<typeof retention.getStorageUsage, number | null> => ({
  check: ({ caller }) => storageLimitOf(caller),
  async run({ found: limitBytes, tx }) {
    const usage = await tx.storageUsage.findFirst({ where: {} });
    return { usedBytes: usage?.usedBytes ?? 0, limitBytes, files: usage?.files ?? 0 };
  },
});
