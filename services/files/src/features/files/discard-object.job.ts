import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';
import { keysOf } from '../content/previews.ts';
import { isProtected, protectedRetryAt } from '../retention/protection.ts';
import { discardDueAt, discardObjectJob } from './discard-object-job.ts';
import { isUploadKey, uploadFolderOf } from './object-keys.ts';
import { removeFiles } from './remove-files.ts';

type Context = JobContext<z.output<typeof discardObjectJob.payload>, Tx>;

/**
 * Removes bytes that no version of a file has, and uploads that were not completed within a day. A deleted file that can no
 * longer be restored is removed with all of its versions.
 */
export const discardObject = (store: Store) =>
  job({
    ...discardObjectJob,
    async run({ payload: { objectKey }, tx: reader, outside, finish }: Context) {
      const version = await reader.fileVersion.findFirst({ where: { objectKey }, include: { file: true } });
      if (!version) return removeBytes(store, objectKey, { tx: reader, outside });
      const { id, deletedAt, status, createdAt } = version.file;
      if (isUploadKey(objectKey) && (status === 'pending_upload' || status === 'failed')) {
        const dueAt = discardDueAt('unused', createdAt);
        // The clock of the database, by which jobs are due, can be ahead.
        if (dueAt > new Date()) return finish(async () => dueAt);
        await outside(() => store.removeFolder(uploadFolderOf(objectKey)));
        return finish(async ({ tx, schedule }) => {
          const { count } = await tx.file.deleteMany({ where: { id, status } });
          // A request with a link of the upload may still be storing bytes.
          if (count) await schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
        });
      }
      if (deletedAt === null) return;
      await finish(async ({ tx, schedule }) => {
        const file = await tx.file.lockFirst({ where: { id } });
        if (!file?.deletedAt) return undefined;
        const dueAt = discardDueAt('deleted', file.deletedAt);
        if (dueAt > new Date()) return dueAt;
        if (isProtected(file)) return protectedRetryAt();
        await removeFiles({ tx, schedule }, [id]);
        return undefined;
      });
    },
  });

/** Removes the bytes of a key with their previews; of an upload, everything but the bytes that became a file. */
async function removeBytes(store: Store, objectKey: string, { tx, outside }: Pick<Context, 'tx' | 'outside'>) {
  if (!isUploadKey(objectKey))
    return outside(async () => {
      for (const key of keysOf(objectKey)) await store.remove(key);
    });
  const folder = uploadFolderOf(objectKey);
  const used = await tx.fileVersion.findMany({
    where: { objectKey: { startsWith: folder } },
    select: { objectKey: true },
  });
  await outside(() => store.removeFolder(folder, new Set(used.flatMap((version) => keysOf(version.objectKey)))));
}
