import { restorableDays } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';
import { keysOf } from '../content/previews.ts';
import { isProtected, protectedRetryAt } from '../retention/protection.ts';

/** Job that removes stored bytes that no file needs. */
export const discardObjectJob = { name: 'discard-object', payload: z.object({ objectKey: z.string() }) };

const dayMs = 86_400_000;
const delaysMs = { unused: dayMs, deleted: restorableDays * dayMs };

/** When to check bytes: a day after an upload started, or when a deleted file can no longer be restored. */
export function discardDueAt(reason: keyof typeof delaysMs): Date {
  return new Date(Date.now() + delaysMs[reason]);
}

/** Uploads that began before this time are removed unless they are complete. */
function unusedSince(): Date {
  return new Date(Date.now() - delaysMs.unused);
}

/** The keys of an upload, before and after it is complete, are in a folder of their own. */
function folderOf(objectKey: string): `${string}/` {
  return `${objectKey.slice(0, objectKey.lastIndexOf('/'))}/`;
}

/** Files deleted before this time can no longer be restored. */
export function restorableSince(): Date {
  return new Date(Date.now() - delaysMs.deleted);
}

/**
 * Removes bytes that no version of a file has, and uploads that were not completed within a day. A deleted file that can no
 * longer be restored is removed with all of its versions.
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
      if (!version) return outside(() => removeWithPreviews(store, objectKey));
      const { id, deletedAt, status, createdAt } = version.file;
      if (status === 'pending_upload' || status === 'failed') {
        if (createdAt > unusedSince()) return;
        await outside(() => store.removeFolder(folderOf(objectKey)));
        return finish(async ({ tx, schedule }) => {
          const { count } = await tx.file.deleteMany({ where: { id, status } });
          // A request with a link of the upload may still be storing bytes.
          if (count) await schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
        });
      }
      if (deletedAt === null || deletedAt > since) return;
      if (isProtected(version.file)) return finish(async () => protectedRetryAt());
      const versions = await reader.fileVersion.findMany({ where: { fileId: id }, select: { objectKey: true } });
      const keys = new Set(versions.map((one) => one.objectKey));
      // The bytes first: a record without bytes is removed by a retry, but nothing would find bytes without a record.
      await outside(async () => {
        for (const key of keys) await removeWithPreviews(store, key);
      });
      await finish(async ({ tx }) => {
        await tx.file.deleteMany({ where: { id, deletedAt: { lte: since } } });
      });
    },
  });

async function removeWithPreviews(store: Store, objectKey: string): Promise<void> {
  for (const key of keysOf(objectKey)) await store.remove(key);
}
