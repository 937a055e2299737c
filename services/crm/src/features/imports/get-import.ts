import { ImportDetail, type imports } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asImport, type ImportedType } from './import.ts';

const { preview: Preview } = ImportDetail.shape;

export const getImport =
  (entityType: ImportedType): Handler<typeof imports.getLeadImport> =>
  async ({ params, tx }) => {
    const row = await tx.import.findFirst({ where: { id: params.id, entityType } });
    if (!row) throw fail('not_found');
    return { ...asImport(row), preview: Preview.parse(row.preview) };
  };
