import type { Caller } from '@tandem/caller';
import { importUpdated } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import type { Peers, Tx } from '../../handler.ts';
import { readDefinitions } from '../custom-fields/custom-field.ts';
import { fieldsOf, readDefined } from './definitions.ts';
import { type FileReader, type Files, fileReader } from './fetch-file.ts';
import { guessMapping } from './guess-mapping.ts';
import {
  actorOf,
  analyseImportJob,
  asImport,
  chunkRows,
  failImport,
  type ImportDetailRecord,
  type ImportPayload,
  type ImportRecord,
  importJobs,
  importLane,
  toColumn,
  writeImport,
} from './import.ts';
import { newRowsCheck } from './new-rows.ts';
import { previewTexts, type RowError, rowReader, type StoredRow } from './read-rows.ts';
import { columnsOfTable, FileError, type Table } from './table.ts';
import { type Checked, type ImportTarget, mappingErrors } from './target.ts';
import { findKnown } from './users-of-rows.ts';

/** Dependencies of the job, for reading files and checking rows. */
export interface ImportTools {
  files: Files;
  ids: IdCodec;
  peers: Peers;
  targets: Partial<Record<ImportRecord['entityType'], ImportTarget>>;
}

const previewRows = 10;
const chunkCharactersMax = 1_000_000;
const waitMs = 1_000;

/** Reads the file of an import into chunks, guesses its mapping, and checks every row. Nothing is imported. */
export const analyseImport = ({ files, ids, targets, peers }: ImportTools, reader = fileReader(files)) =>
  job({
    ...analyseImportJob,
    lane: importLane,
    async run({ payload: { importId }, tx, outside, finish }: JobContext<ImportPayload, Tx>) {
      const row = await tx.import.findFirst({ where: { id: importId } });
      if (row?.status !== 'mapped') return;
      if (!row.isRead && reader.isBusy()) return finish(async () => new Date(Date.now() + waitMs));
      const actor = actorOf(row.actor);
      const caller = { ...actor, permissions: [], tenantId: row.tenantId, environment: row.environment } as Caller;
      const found = asImport(row);
      const target = targets[found.entityType] as ImportTarget;
      const jobId = found.jobId as number;
      try {
        const read = row.isRead ? found : await outside(() => readFile(tx, { reader, target, found, caller }));
        const { counts, preview } = await checkRows(tx, { target, ids, peers, read, caller, outside, jobId });
        await finish(async ({ tx: end, emit }) => {
          const now = await end.import.lockFirst({ where: { id: importId } });
          // The settings were corrected meanwhile: the rows are checked again.
          if (now && now.version !== row.version) return new Date();
          if (now?.status !== 'mapped') return undefined;
          const data = {
            status: 'validated',
            format: toColumn(read.format as object),
            columns: read.columns,
            mapping: read.mapping,
          };
          const record = await writeImport(end, importId, {
            ...data,
            ...counts,
            isRead: true,
            preview: toColumn(preview),
          });
          await importJobs.complete(end.sql, jobId, { result: counts, total: counts.rows });
          emit(importUpdated, { data: { importId }, record });
          return undefined;
        }, actor);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        const { code, message } = error;
        await finish(async ({ tx: end, emit }) => {
          const now = await end.import.lockFirst({ where: { id: importId } });
          if (now && now.version !== row.version) return new Date();
          if (now?.status !== 'mapped') return undefined;
          await end.importChunk.deleteMany({ where: { importId } });
          await failImport({ tx: end, emit }, now, { code, message });
          return undefined;
        }, actor);
      }
    },
    async giveUp({ payload: { importId }, tx, emit }: GiveUpContext<ImportPayload, Tx>) {
      const row = await tx.import.lockFirst({ where: { id: importId } });
      if (row?.status !== 'mapped') return;
      const message = 'The file could not be read repeatedly; create the import again';
      await failImport({ tx, emit }, row, { code: 'import_failed', message });
    },
  });

/** Stores the rows of the file in chunks; resolves to the import with its format, columns and mapping. */
async function readFile(
  tx: Tx,
  { reader, target, found, caller }: { reader: FileReader; target: ImportTarget; found: ImportRecord; caller: Caller },
): Promise<ImportRecord> {
  const { permissions, features, narrow, type, ...as } = caller;
  return reader.withTable({ fileId: found.fileId, as }, async (table) => {
    const { names, rows } = await columnsOfTable(table);
    const hasMapping = Object.keys(found.mapping).length > 0;
    const mapping = hasMapping ? found.mapping : guessMapping(target, names, await readDefinitions(tx, target.type));
    const [error] = mappingErrors(target, mapping, names);
    if (error) {
      const column = error.field.slice('mapping.'.length);
      throw new FileError(`The mapping of the column ${column} is not possible: ${error.message}`, 'mapping_mismatch');
    }
    // An attempt that was interrupted may have stored some.
    await tx.importChunk.deleteMany({ where: { importId: found.id } });
    await storeChunks(tx, found.id, rows);
    return { ...found, format: table.format, columns: names, mapping };
  });
}

async function storeChunks(tx: Tx, importId: number, rows: Table['rows']): Promise<void> {
  let number = 0;
  let chunk: StoredRow[] = [];
  let characters = 0;
  const store = async () => {
    if (chunk.length) await tx.importChunk.create({ data: { importId, number: number++, rows: chunk } });
    chunk = [];
    characters = 0;
  };
  for await (const { number: row, cells } of rows) {
    chunk.push([row, ...cells]);
    characters += cells.reduce((sum, cell) => sum + cell.length, 0);
    if (chunk.length >= chunkRows || characters > chunkCharactersMax) await store();
  }
  await store();
}

interface Checking {
  target: ImportTarget;
  ids: IdCodec;
  peers: Peers;
  read: ImportRecord;
  caller: Caller;
  outside: JobContext<ImportPayload, Tx>['outside'];
  jobId: number;
}

/** Checks the rows chunk by chunk, and stores the errors beside them. */
async function checkRows(tx: Tx, { target, ids, peers, read, caller, outside, jobId }: Checking) {
  const defined = await readDefined(tx, { entityType: target.type, fields: fieldsOf(read), peers, caller, outside });
  const reader = rowReader({ ...read, target, defined, ids, tenantId: caller.tenantId as number });
  const checkNew = newRowsCheck(target, read.dedupe);
  const counts = { rows: 0, valid: 0, invalid: 0 };
  const preview: ImportDetailRecord['preview'] = [];
  for (let number = 0; ; number++) {
    const chunk = await tx.importChunk.findFirst({ where: { importId: read.id, number } });
    if (!chunk) break;
    const rows = chunk.rows as unknown as StoredRow[];
    const texts = rows.map((stored) => reader.textsOf(stored).texts);
    const known = await outside(() => findKnown(tx, { target, texts, caller, peers }));
    const results = await inTurns(rows, (stored) => ({ stored, ...reader.read(stored, known) }));
    const records = results.flatMap(({ record }) => (record ? [record as Checked<never>] : []));
    const references = await outside(() => target.findReferences(records, caller, tx));
    const errorsOf = new Map(records.map(({ row, body }) => [row, target.referenceErrors(body, references)]));
    const missing = await checkNew(
      tx,
      records.filter(({ row }) => !errorsOf.get(row)?.length),
    );
    const errors: RowError[] = [];
    for (const { stored, errors: own } of results) {
      const [row] = stored;
      const all = [...own, ...(errorsOf.get(row) ?? []), ...(missing.get(row) ?? [])];
      errors.push(...reader.toRowErrors(stored, all));
      counts.rows += 1;
      if (all.length) counts.invalid += 1;
      else counts.valid += 1;
      if (preview.length < previewRows)
        preview.push({ row, values: previewTexts(reader.textsOf(stored).texts), errors: all });
    }
    await tx.importChunk.updateMany({ where: { importId: read.id, number }, data: { errors: toColumn(errors) } });
    await importJobs.progress(tx.sql, jobId, { done: counts.rows, total: 0 });
  }
  return { counts, preview };
}
