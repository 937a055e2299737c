import { importUndone } from '@tandem/crm-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import type { ImportTools } from './analyse-import.job.ts';
import {
  actorOf,
  asImport,
  type ImportPayload,
  importJobs,
  importLane,
  toColumn,
  undoImportJob,
  writeImport,
} from './import.ts';
import type { ImportTarget, Outcome, Undone } from './target.ts';

/** Undoes one chunk of an import, the latest first, and runs again for the one before. */
export const undoImport = ({ targets }: Pick<ImportTools, 'targets'>) =>
  job({
    ...undoImportJob,
    lane: importLane,
    async run({ payload: { importId }, tx, finish }: JobContext<ImportPayload, Tx>) {
      const row = await tx.import.findFirst({ where: { id: importId } });
      if (row?.status !== 'undoing') return;
      const { entityType } = asImport(row);
      const actor = actorOf(row.actor);
      await finish(async ({ tx: inside, emit }) => {
        const now = await inside.import.lockFirst({ where: { id: importId } });
        if (now?.status !== 'undoing') return undefined;
        const jobId = now.jobId as number;
        const number = now.nextChunk - 1;
        const chunk = await inside.importChunk.findFirst({ where: { importId, number } });
        const outcomes = (chunk?.results ?? []) as unknown as Outcome[];
        const target = targets[entityType] as ImportTarget;
        const undone = await target.undo(outcomes, { tx: inside, emit, actor });
        await inside.importChunk.updateMany({ where: { importId, number }, data: { results: toColumn([undone]) } });
        await inside.import.updateMany({ where: { id: importId }, data: { nextChunk: number } });
        const total = now.created + now.updated;
        const result = await totals(inside, importId, number);
        const done = result.deleted + result.restored + result.kept;
        await importJobs.progress(inside.sql, jobId, { done, total });
        if (number > 0) return new Date();
        const record = await writeImport(inside, importId, { status: 'undone' });
        await importJobs.complete(inside.sql, jobId, { result, total });
        emit(importUndone, { data: { importId }, record });
        return undefined;
      }, actor);
    },
    async giveUp({ payload: { importId }, tx }: GiveUpContext<ImportPayload, Tx>) {
      const row = await tx.import.lockFirst({ where: { id: importId } });
      if (row?.status !== 'undoing') return;
      // The state before the undo, from which a further one continues with the chunks that are left.
      await writeImport(tx, importId, { status: row.errorCode === null ? 'completed' : 'failed' });
      const message = 'The undo failed repeatedly; request it again to continue';
      if (row.jobId) await importJobs.fail(tx.sql, row.jobId, { code: 'undo_failed', message });
    },
  });

/** The counts of an undo, for the chunks from a number on. */
async function totals(tx: Tx, importId: number, from: number): Promise<Undone> {
  const chunks = await tx.importChunk.findMany({
    where: { importId, number: { gte: from } },
    select: { results: true },
  });
  const parts = chunks.flatMap(({ results }) => results as unknown as Undone[]);
  const sum = (name: keyof Undone) => parts.reduce((all, part) => all + part[name], 0);
  return { deleted: sum('deleted'), restored: sum('restored'), kept: sum('kept') };
}
