import { dataExportLimits, type dataExports } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import type { IdCodec } from '@tandem/ids';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asExport, countOpen, exportsLock, insertExport, isStorageFull, type LinkTo } from './export.ts';
import { checkInput, type ExportInput } from './export-input.ts';
import type { Sources } from './sources.ts';

interface Tools {
  sources: Sources;
  ids: IdCodec;
  linkTo: LinkTo;
}

const fields = { source: 'source', filters: 'filters', columns: 'columns' };

export const createExport = ({
  sources,
  ids,
  linkTo,
}: Tools): Handler<typeof dataExports.createExport, ExportInput> => ({
  check: ({ body: { source, filters = {}, columns }, caller, tx }) =>
    checkInput({ source, filters, columns }, { sources, ids, caller, tx, errors: [], fields }),
  async run({ body: { source, format, filters = {} }, caller, found, tx, emit, schedule }) {
    await lockNamed(tx, exportsLock);
    if ((await countOpen(tx)) >= dataExportLimits.open) throw fail('too_many_exports');
    if (await isStorageFull(tx)) throw fail('export_storage_full');
    const createdBy = actingUserId(caller) ?? null;
    const row = await insertExport({ tx, emit, schedule }, { ...found, source, format, filters, createdBy });
    return asExport(row, { caller, linkTo });
  },
});
