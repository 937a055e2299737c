import { dataExportLimits, type dataExports } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import type { IdCodec } from '@tandem/ids';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asExport, countOpen, exportsLock, insertExport, isStorageFull, type LinkTo } from './export.ts';
import { checkInput } from './export-input.ts';
import type { CheckedExport, ExportedReports, Sources } from './source.ts';

interface Tools {
  sources: Sources;
  ids: IdCodec;
  linkTo: LinkTo;
  readReport: ExportedReports['read'];
}

const fields = { source: 'source', filters: 'filters', columns: 'columns' };

export const createExport = ({
  sources,
  ids,
  linkTo,
  readReport,
}: Tools): Handler<typeof dataExports.createExport, CheckedExport> => ({
  async check({ body: { source, filters, columns, reportId }, caller, tx }) {
    const isOfReport = source === 'report';
    const ofReport = isOfReport ? await readReport({ reportId, filters, columns }, { caller, tx }) : undefined;
    if (ofReport?.rows) return ofReport.rows;
    const given = ofReport?.list ?? { source, filters: filters ?? {}, columns };
    const input = await checkInput(given, { sources, ids, caller, tx, errors: [], fields });
    return { ...input, source: given.source, filters: given.filters };
  },
  async run({ body: { format }, caller, found, tx, emit, schedule }) {
    await lockNamed(tx, exportsLock);
    if ((await countOpen(tx)) >= dataExportLimits.open) throw fail('too_many_exports');
    if (await isStorageFull(tx)) throw fail('export_storage_full');
    const createdBy = actingUserId(caller) ?? null;
    const row = await insertExport({ tx, emit, schedule }, { ...found, format, createdBy });
    return asExport(row, { caller, linkTo });
  },
});
