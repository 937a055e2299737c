import type { imports } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asImport, type ImportedType } from './import.ts';

export const listImports =
  (entityType: ImportedType): Handler<typeof imports.listLeadImports> =>
  async ({ query: { status }, tx, list }) => {
    const page = await list({ model: tx.import, where: { entityType, ...(status && { status }) } });
    return { ...page, items: page.items.map(asImport) };
  };
