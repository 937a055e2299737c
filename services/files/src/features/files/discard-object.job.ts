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
      const isExpired = { objectKey, deletedAt: { lte: restorableSince() } };
      const file = await reader.file.findFirst({ where: { objectKey } });
      if (file && !(file.deletedAt && file.deletedAt <= isExpired.deletedAt.lte)) return;
      // Removes the bytes first: the job retries for a record without bytes, but nothing would find bytes without one.
      await store.remove(objectKey);
      await finish(async ({ tx }) => void (await tx.file.deleteMany({ where: isExpired })));
    },
  });
