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

/** Removes bytes without a file, and the bytes and record of a file that can no longer be restored. */
export const discardObject = (store: Store) =>
  job({
    ...discardObjectJob,
    async run({
      payload: { objectKey },
      tx: reader,
      finish,
    }: JobContext<z.output<typeof discardObjectJob.payload>, Tx>) {
      const since = restorableSince();
      const file = await reader.file.findFirst({ where: { objectKey } });
      const isNeeded = file !== null && (file.deletedAt === null || file.deletedAt > since);
      if (isNeeded) return;
      // The bytes first: a record without bytes is removed by a retry, but nothing would find bytes without a record.
      await store.remove(objectKey);
      await finish(async ({ tx }) => {
        await tx.file.deleteMany({ where: { objectKey, deletedAt: { lte: since } } });
      });
    },
  });
