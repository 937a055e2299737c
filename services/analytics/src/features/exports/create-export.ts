import { dataExportLimits, type dataExports, exportCreated } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import type { FieldError } from '@tandem/contract';
import { allColumns, type Requester, requesterOf, unknownColumns } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { fail, toJsonColumn } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { asExport, countOpen, exportsLock, type LinkTo, runExportJob } from './export.ts';
import { readFilters } from './read-filters.ts';
import { reachOfSource, type Sources } from './sources.ts';

interface Checked {
  columns: string[];
  /** With internal ids. */
  wireFilters: Record<string, unknown>;
  requester: Requester;
}

interface Tools {
  sources: Sources;
  ids: IdCodec;
  linkTo: LinkTo;
}

export const createExport = ({ sources, ids, linkTo }: Tools): Handler<typeof dataExports.createExport, Checked> => ({
  async check({ body, caller, tx }) {
    const source = sources[body.source];
    const permission = source.list.permission as string;
    const reach = reachOfSource(caller, source);
    if (reach === 'none')
      throw fail('forbidden', [{ field: 'source', message: `Requires the permission ${permission}` }]);
    const { tenantId, environment } = caller;
    const { columns = allColumns(source), filters = {} } = body;
    const errors: FieldError[] = unknownColumns(source, columns);
    const fixed = environment === 'sandbox' ? source.inSandbox : undefined;
    for (const [field, value] of Object.entries(fixed ?? {}))
      if (filters[field] !== undefined && filters[field] !== value)
        errors.push({ field: `filters.${field}`, message: `Must be ${value} in the sandbox` });
    const wireFilters = readFilters(source, { ...filters, ...fixed }, { ids, tenantId: tenantId as number, errors });
    if (errors.length) throw fail('validation_failed', errors);
    const requester = requesterOf(caller, reach);
    // The owner of the list rejects filters that depend on its records, such as custom fields.
    const scope = { tenantId: tenantId as number, environment };
    const first = await source.read({ filters: wireFilters, after: 0, limit: 1 }, { ...requester, scope, tx });
    if (first.errors?.length) throw fail('validation_failed', first.errors);
    return { columns, wireFilters, requester };
  },
  async run({ body, caller, found, tx, emit, schedule }) {
    const { source, format, filters = {} } = body;
    const { columns, wireFilters, requester } = found;
    await lockNamed(tx, exportsLock);
    if ((await countOpen(tx)) >= dataExportLimits.open) throw fail('too_many_exports');
    if ((await keptBytes(tx)) >= dataExportLimits.keptBytes) throw fail('export_storage_full');
    const row = await tx.export.create({
      data: {
        source,
        format,
        columns,
        filters: toJsonColumn(filters),
        wireFilters: toJsonColumn(wireFilters),
        requester: toJsonColumn(requester),
        createdBy: actingUserId(caller) ?? null,
      },
    });
    await schedule(runExportJob, [{ exportId: row.id }]);
    emit(exportCreated, { data: { exportId: row.id, source }, record: { id: row.id } });
    return asExport(row, { caller, linkTo });
  },
});

async function keptBytes({ sql }: Tx): Promise<number> {
  const [kept] = await sql<{ bytes: number }>`SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM export
    WHERE status IN ('completed', 'running')`;
  return kept?.bytes ?? 0;
}
