import { importStarted, type imports } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { fieldsOf } from './definitions.ts';
import { actorColumn, checkTransition, importJobs, lockImport, runImportJob, writeImport } from './import.ts';
import type { ImportTarget } from './target.ts';

/** The handler of `imports.startLeadImport` and the same of other records. */
export const startImport =
  (target: ImportTarget): Handler<typeof imports.startLeadImport> =>
  async ({ params, caller, tx, emit, ifMatch, schedule }) => {
    const found = await lockImport(tx, target.type, params.id);
    target.checkCaller?.(caller, fieldsOf(found));
    ifMatch(found);
    checkTransition(found, 'running');
    if (!found.counts.valid) throw fail('no_valid_rows');
    const permission = target.row.permission as string;
    const start = { kind: 'run_import', permission, caller, input: { importId: found.id }, total: found.counts.rows };
    const { jobId } = await importJobs.start(tx.sql, start);
    const data = { status: 'running', startedAt: new Date(), nextChunk: 0, jobId, actor: actorColumn(caller) };
    const record = await writeImport(tx, found.id, data);
    await schedule(runImportJob, [{ importId: found.id }]);
    emit(importStarted, { data: { importId: found.id }, record });
    return record;
  };
