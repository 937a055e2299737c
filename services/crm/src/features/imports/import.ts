import type { Caller } from '@tandem/caller';
import { id, type Operation } from '@tandem/contract';
import { Import, type ImportDetail, type importedTypes, importFailed, importStates } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { JobActor, Schedule } from '@tandem/jobs';
import { backgroundJobs, fail, type JsonObject, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Import as ImportRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ImportRecord = z.output<typeof Import>;
export type ImportDetailRecord = z.output<typeof ImportDetail>;
export type ImportedType = (typeof importedTypes)[number];
type ImportStatus = ImportRecord['status'];

/** The background jobs that clients read at GET /v1/jobs/:id. */
export const importJobs = backgroundJobs('crm');

const payload = z.object({ importId: id('import') });
// Many rows are written at once, which would delay requests.
const rests = true as const;
export const analyseImportJob = { name: 'analyse-import', payload };
export const runImportJob = { name: 'run-import', payload, rests };
export const undoImportJob = { name: 'undo-import', payload, rests };
export type ImportPayload = z.output<typeof payload>;

/** Jobs of imports have slots of their own, so that no other work waits behind them. */
export const importLane = 'imports';

/**
 * Rows that are stored, checked and imported together; the locks of a batch last until its end. More rows are imported
 * faster, but delay requests for longer: with 500, 1.2 times as many rows per second.
 */
export const chunkRows = 100;

const columns = Import.pick({ entityType: true, status: true, format: true, mapping: true, dedupe: true }).extend({
  columns: z.array(z.string()),
  defaults: Import.shape.defaults,
});

/** Converts a row to the contract's `Import`. */
export function asImport(row: ImportRow): ImportRecord {
  const checked = columns.parse(row);
  const { rows, valid, invalid, processed, created, updated, skipped, failed, errorCode, errorMessage } = row;
  return {
    ...row,
    ...checked,
    allowedTransitions: transitionsOf(checked.status, { created, updated }),
    counts: { rows, valid, invalid, processed, created, updated, skipped, failed },
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

/** The next states. An import that failed without changing a record has none: there is nothing to undo. */
function transitionsOf(status: ImportStatus, { created, updated }: Pick<ImportRow, 'created' | 'updated'>) {
  return status === 'failed' && created + updated === 0 ? [] : importStates.next(status);
}

/** Locks an import of this type of record. */
export async function lockImport(tx: Tx, entityType: ImportedType, importId: number): Promise<ImportRecord> {
  const row = await tx.import.lockFirst({ where: { id: importId, entityType } });
  if (!row) throw fail('not_found');
  return asImport(row);
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status, allowedTransitions }: ImportRecord, to: ImportStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

type Data = Parameters<Tx['import']['updateManyAndReturn']>[0]['data'];

/** Writes a change of a locked import as its next version. */
export async function writeImport(tx: Tx, importId: number, data: Data): Promise<ImportRecord> {
  const [row] = await tx.import.updateManyAndReturn({
    where: { id: importId },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asImport(row);
}

/** Schedules the check of the rows of an import; returns the background job. */
export async function startCheck(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { row }: { row: Operation },
  { caller, importId }: { caller: Caller; importId: number },
): Promise<number> {
  const permission = row.permission as string;
  const start = { kind: 'check_import', permission, caller, input: { importId } };
  const { jobId } = await importJobs.start(tx.sql, start);
  await schedule(analyseImportJob, [{ importId }]);
  return jobId;
}

/** Ends a locked import and its background job with an error, and emits it. */
export async function failImport(
  { tx, emit }: { tx: Tx; emit: Emit },
  { id: importId, jobId }: Pick<ImportRow, 'id' | 'jobId'>,
  error: { code: string; message: string },
): Promise<void> {
  const data = { status: 'failed', errorCode: error.code, errorMessage: error.message };
  const record = await writeImport(tx, importId, data);
  if (jobId) await importJobs.fail(tx.sql, jobId, error);
  emit(importFailed, { data: { importId }, record });
}

/** The person or key whose request a job continues, as a column. */
export function actorColumn(caller: Caller) {
  const { permissions, features, narrow, usage, performed, tenantId, environment, ...actor } = caller;
  return toColumn(actor);
}

/** Content of our own for a JSON column. */
export function toColumn(content: object): JsonObject {
  return content as JsonObject;
}

/** The caller in whose name a job writes records. */
export function actorOf(actor: unknown): JobActor & Pick<Caller, 'teamIds'> {
  return actor as JobActor;
}
