import { restorableDays } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';

/** Removes stored bytes that no file needs any more. */
export const discardObjectJob = { name: 'discard-object', payload: z.object({ objectKey: z.string() }) };

const dayMs = 86_400_000;
const waits = { unused: dayMs, deleted: restorableDays * dayMs };

/** When to look whether bytes are needed: a day after an upload began, or when a deleted file can no longer be restored. */
export function discardDueAt(why: keyof typeof waits): Date {
  return new Date(Date.now() + waits[why]);
}

/** Files deleted before this time are gone for good. */
export function restorableSince(): Date {
  return new Date(Date.now() - waits.deleted);
}

/** Looks whether bytes are still needed, and removes them, with the record of a file whose time is over. */
export const discardObject = (store: Store) =>
  job({
    ...discardObjectJob,
    async run({
      payload: { objectKey },
      tx: reader,
      finish,
    }: JobContext<z.output<typeof discardObjectJob.payload>, Tx>) {
      const isOver = { objectKey, deletedAt: { lte: restorableSince() } };
      const file = await reader.file.findFirst({ where: { objectKey } });
      if (file && !(file.deletedAt && file.deletedAt <= isOver.deletedAt.lte)) return;
      // The bytes go first: the job repeats for a record without bytes, but nothing would find bytes without a record.
      await store.remove(objectKey);
      await finish(async ({ tx }) => void (await tx.file.deleteMany({ where: isOver })));
    },
  });
