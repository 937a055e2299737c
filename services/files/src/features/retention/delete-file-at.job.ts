import { fileDeleted } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { discardDueAt, discardObjectJob } from '../files/discard-object-job.ts';
import { asFile, writeFile } from '../files/file.ts';
import { hasOpenRequest } from '../signatures/request.ts';
import { isProtected, protectedRetryAt } from './protection.ts';

/** Job that deletes a file at its `deleteAt`. */
export const deleteFileAtJob = { name: 'delete-file-at', payload: z.object({ fileId: z.int() }) };

/** Each change of `deleteAt` schedules the job: it acts only when the time of the record has come. */
export const deleteFileAt = job({
  ...deleteFileAtJob,
  async run({ payload, finish }: JobContext<z.output<typeof deleteFileAtJob.payload>, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const row = await tx.file.lockFirst({ where: { id: payload.fileId, deletedAt: null } });
      if (!row?.deleteAt || row.deleteAt > new Date()) return undefined;
      // People are still signing it.
      if (isProtected(row) || (await hasOpenRequest(tx, row.id))) return protectedRetryAt();
      const deleted = await writeFile(tx, row.id, { deletedAt: new Date(), deleteAt: null });
      await schedule(discardObjectJob, [{ objectKey: row.objectKey }], discardDueAt('deleted'));
      emit(fileDeleted, { data: { fileId: row.id, permanent: false }, record: asFile(deleted) });
      return undefined;
    });
  },
});
