import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Reads names under the permission that retrieving the record needs. */
export const nameFiles = namesHandler<Tx, 'file'>({
  file: {
    permission: 'files:read',
    narrows: true,
    async find(tx, ids) {
      const files = await tx.file.findMany({ where: { id: { in: ids }, deletedAt: null } });
      return files.map(({ id, filename }) => ({ id, name: filename }));
    },
  },
});
