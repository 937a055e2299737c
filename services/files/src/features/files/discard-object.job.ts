import { restorableDays } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';

/** Job that removes stored bytes that no file needs. */
export const discardObjectJob = { name: 'discard-object', payload: z.object({ objectKey: z.string() }) };

const dayMs = 86_400_000;
const delaysMs = { unused: dayMs, deleted: restorableDays * dayMs };

/** When to check bytes: a day after an upload started, or when a deleted file can no longer be restored. */
export function discardDueAt(reason: keyof typeof delaysMs): Date {
  return new Date(Date.now() + delaysMs[reason]);
}

/** Files deleted before this time can no longer be restored. */
export function restorableSince(): Date {
  return new Date(Date.now() - delaysMs.deleted);
}

/**
 * Removes bytes that no version of a file has. If a deleted file has them that can no longer be restored, the file is
 * removed with all of its versions.
 */
export const discardObject = (store: Store) =>
  job({
    ...discardObjectJob,
    async run({
      payload: { objectKey },
      tx: reader,
      outside,
      finish,
    }: JobContext<z.output<typeof discardObjectJob.payload>, Tx>) {
      const since = restorableSince();
      const version = await reader.fileVersion.findFirst({ where: { objectKey }, include: { file: true } });
      if (!version) return outside(() => store.remove(objectKey));
      const { id, deletedAt } = version.file;
      if (deletedAt === null || deletedAt > since) return;
      const versions = await reader.fileVersion.findMany({ where: { fileId: id }, select: { objectKey: true } });
      const keys = new Set(versions.map((one) => one.objectKey));
      // The bytes first: a record without bytes is removed by a retry, but nothing would find bytes without a record.
      await outside(async () => {
        for (const key of keys) await store.remove(key);
      });
      await finish(async ({ tx }) => {
        await tx.file.deleteMany({ where: { id, deletedAt: { lte: since } } });
      });
    },
  });
