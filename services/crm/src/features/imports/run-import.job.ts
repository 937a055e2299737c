import type { Caller } from '@tandem/caller';
import { importCompleted } from '@tandem/crm-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import type { Tx } from '../../handler.ts';
import type { ImportTools } from './analyse-import.job.ts';
import { fieldsOf, readDefined } from './definitions.ts';
import {
  actorOf,
  asImport,
  failImport,
  type ImportPayload,
  importJobs,
  importLane,
  runImportJob,
  toColumn,
  writeImport,
} from './import.ts';
import { rowReader, type StoredRow } from './read-rows.ts';
import type { Checked, ImportTarget, Outcome } from './target.ts';
import { findKnown } from './users-of-rows.ts';

// Imports of a tenant run one after another, so that they leave connections and processor time to requests.
const waitMs = 1_000;
const partly = 'The first rows are imported, as many as counts.processed says; undo the import to remove them.';

/**
 * Imports one chunk of rows, and runs again for the next one. What was done is written in the transaction of the records,
 * so that a run that is repeated after a crash imports no row twice.
 */
export const runImport = ({ targets, ids, peers }: ImportTools) =>
  job({
    ...runImportJob,
    lane: importLane,
    async run({ payload: { importId }, tx, outside, finish }: JobContext<ImportPayload, Tx>) {
      const row = await tx.import.findFirst({ where: { id: importId } });
      if (row?.status !== 'running') return;
      const { nextChunk: number } = row;
      const earlier = await tx.import.findFirst({ where: { status: 'running', id: { lt: importId } } });
      if (earlier) return finish(async () => new Date(Date.now() + waitMs));
      const found = asImport(row);
      const { entityType, dedupe } = found;
      const target = targets[entityType] as ImportTarget;
      const actor = actorOf(row.actor);
      const caller = { ...actor, permissions: [], tenantId: row.tenantId, environment: row.environment } as Caller;
      const chunk = await tx.importChunk.findFirst({ where: { importId, number } });
      const rows = (chunk?.rows ?? []) as unknown as StoredRow[];
      const defined = await readDefined(tx, { entityType, fields: fieldsOf(found), peers, caller, outside });
      const reader = rowReader({ ...found, target, defined, ids, tenantId: row.tenantId });
      const texts = rows.map((stored) => reader.textsOf(stored).texts);
      const known = await outside(() => findKnown(tx, { target, texts, caller, peers }));
      const read = await inTurns(rows, (stored) => ({ stored, ...reader.read(stored, known) }));
      const readable = read.flatMap(({ record }) => (record ? [record as Checked<never>] : []));
      const references = await outside(() => target.findReferences(readable, caller, tx));
      const errorsOf = new Map(read.map(({ stored, errors }) => [stored[0], errors]));
      for (const record of readable) errorsOf.set(record.row, target.referenceErrors(record.body, references));
      const records = readable.filter((record) => !errorsOf.get(record.row)?.length);
      return finish(async ({ tx: inside, emit }) => {
        const now = await inside.import.lockFirst({ where: { id: importId } });
        if (now?.status !== 'running' || now.nextChunk !== number) return undefined;
        const outcomes = await target.write(records, {
          tx: inside,
          emit,
          actor,
          dedupe,
          references,
          definitions: defined.definitions,
        });
        for (const outcome of outcomes) if (outcome.action === 'failed') errorsOf.set(outcome.row, outcome.errors);
        const errors = read.flatMap(({ stored }) => reader.toRowErrors(stored, errorsOf.get(stored[0]) ?? []));
        await inside.importChunk.updateMany({
          where: { importId, number },
          // The rows are personal data that nothing needs any longer; the undo needs the outcomes only.
          data: { rows: [], errors: toColumn(errors), results: toColumn(outcomes.filter(isUndoable)) },
        });
        if (!chunk && now.processed < now.rows) {
          await failImport({ tx: inside, emit }, now, { code: 'rows_missing', message: `Rows are missing. ${partly}` });
          return undefined;
        }
        const counts = countsOf(now, { rows: rows.length, outcomes });
        if (chunk) {
          await inside.import.updateMany({ where: { id: importId }, data: { ...counts, nextChunk: number + 1 } });
          await importJobs.progress(inside.sql, now.jobId as number, { done: counts.processed, total: now.rows });
          return new Date();
        }
        const record = await writeImport(inside, importId, { status: 'completed', completedAt: new Date() });
        await importJobs.complete(inside.sql, now.jobId as number, { result: counts, total: now.rows });
        emit(importCompleted, { data: { importId }, record });
        return undefined;
      }, actor);
    },
    async giveUp({ payload: { importId }, tx, emit }: GiveUpContext<ImportPayload, Tx>) {
      const row = await tx.import.lockFirst({ where: { id: importId } });
      if (row?.status !== 'running') return;
      const message = `The import failed repeatedly. ${partly}`;
      await failImport({ tx, emit }, row, { code: 'import_failed', message });
    },
  });

function isUndoable({ action }: Outcome): boolean {
  return action === 'created' || action === 'updated';
}

interface Counts {
  processed: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

function countsOf(before: Counts, { rows, outcomes }: { rows: number; outcomes: readonly Outcome[] }): Counts {
  const count = (action: Outcome['action']) => outcomes.filter((one) => one.action === action).length;
  const [created, updated, skipped] = [count('created'), count('updated'), count('skipped')];
  return {
    processed: before.processed + rows,
    created: before.created + created,
    updated: before.updated + updated,
    skipped: before.skipped + skipped,
    failed: before.failed + rows - created - updated - skipped,
  };
}
