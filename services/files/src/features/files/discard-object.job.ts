import { type GiveUpContext, type Inside, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';
import { keysOf } from '../content/previews.ts';
import { isProtected, protectedRetryAt } from '../retention/protection.ts';
import { discardDueAt, discardObjectJob } from './discard-object-job.ts';
import { isUploadKey, uploadFolderOf } from './object-keys.ts';
import { removeFiles } from './remove-files.ts';

type Effects = Pick<Inside<Tx>, 'tx' | 'schedule'>;
type Payload = z.output<typeof discardObjectJob.payload>;
type Context = JobContext<Payload, Tx>;

// When the store could not be reached for as long as a job is tried.
const unreachableMs = 3_600_000;

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
      if (version.file.deletedAt === null && !isOpenUpload(version.file, objectKey)) return;
      await finish(async ({ tx, schedule }) => {
        const file = await tx.file.lockFirst({ where: { id: version.fileId } });
        if (!file) return undefined;
        // First, because an upload can be held before it is complete.
        if (isProtected(file)) return protectedRetryAt();
        if (isOpenUpload(file, objectKey)) return removeUpload({ tx, schedule }, file);
        if (!file.deletedAt) return undefined;
        const dueAt = discardDueAt('deleted', file.deletedAt);
        if (dueAt > new Date()) return dueAt;
        await removeFiles({ tx, schedule }, [file.id]);
        return undefined;
      });
    },

    /** Never stops: no other record names these bytes, which may be those of an erased person. */
    giveUp: ({ payload, schedule }: GiveUpContext<Payload, Tx>) =>
      schedule(discardObjectJob, [payload], new Date(Date.now() + unreachableMs)),
  });

/** Whether the key is that of an upload that was not completed. */
function isOpenUpload({ status }: FileRow, objectKey: string): boolean {
  return isUploadKey(objectKey) && (status === 'pending_upload' || status === 'failed');
}

/** Removes the record of a locked upload before its bytes: a request that completes it at this moment finds both or neither. */
async function removeUpload(inside: Effects, { id, objectKey, createdAt }: FileRow): Promise<Date | undefined> {
  const dueAt = discardDueAt('unused', createdAt);
  // The clock of the database, by which jobs are due, can be ahead.
  if (dueAt > new Date()) return dueAt;
  await removeFiles(inside, [id]);
  // A request with a link of the upload may still be storing bytes.
  await inside.schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
  return undefined;
}

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
