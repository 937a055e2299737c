import { type imports, importUndoStarted } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { actorColumn, checkTransition, importJobs, lockImport, undoImportJob, writeImport } from './import.ts';
import type { ImportTarget } from './target.ts';

/** The handler of `imports.undoLeadImport` and the same of other records. */
export const undoImport =
  (target: ImportTarget): Handler<typeof imports.undoLeadImport> =>
  async ({ params, caller, tx, emit, ifMatch, schedule }) => {
    const found = await lockImport(tx, target.type, params.id);
    ifMatch(found);
    checkTransition(found, 'undoing');
    const { created, updated } = found.counts;
    const permission = target.row.permission as string;
    const start = { kind: 'undo_import', permission, caller, input: { importId: found.id }, total: created + updated };
    const { jobId } = await importJobs.start(tx.sql, start);
    const record = await writeImport(tx, found.id, { status: 'undoing', jobId, actor: actorColumn(caller) });
    await schedule(undoImportJob, [{ importId: found.id }]);
    emit(importUndoStarted, { data: { importId: found.id }, record });
    return record;
  };
