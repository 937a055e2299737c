import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { inspect } from './inspect.ts';
import { setStatus, settleUpload } from './settle-upload.ts';

/** Job that checks the content of a file in processing. */
export const inspectUploadJob = {
  name: 'inspect-upload',
  payload: z.object({
    fileId: z.int(),
    /** The key of the content from now on. */
    objectKey: z.string(),
    /** The parts to join before; null for content that was sent as a whole. */
    partNumbers: z.array(z.int()).nullable(),
  }),
};
type Payload = z.output<typeof inspectUploadJob.payload>;

/** Joins the parts of an upload, checks its content, and makes the file available, or says why it is not. */
export const inspectUpload = (tools: Tools) =>
  job({
    ...inspectUploadJob,
    async run({ payload, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      const where = { id: payload.fileId, status: 'processing', deletedAt: null };
      const file = await reader.file.findFirst({ where });
      if (!file) return;
      const result = await outside(async () => {
        await moveContent(tools, file, payload);
        return inspect(tools, payload.objectKey, file);
      });
      if ('stored' in result && result.stored.status === 'processing')
        return finish(async () => new Date(Date.now() + tools.rescanMs));
      await finish(async ({ tx, emit }) => {
        const locked = await tx.file.lockFirst({ where });
        if (!locked) return;
        if ('stored' in result) await settleUpload({ tx, emit }, locked, result.stored);
        else await setStatus({ tx, emit }, locked, 'failed');
      });
      if ('mismatch' in result) await outside(() => tools.store.remove(payload.objectKey));
    },
  });

/** Schedules the job for content that could not be scanned yet. */
export async function scanLater(
  schedule: Schedule,
  fileId: number,
  { objectKey, status }: StoredObject,
): Promise<void> {
  if (status === 'processing') await schedule(inspectUploadJob, [{ fileId, objectKey, partNumbers: null }]);
}

/** Gives the content its own key. A run after a crash finds it there. */
async function moveContent({ store }: Tools, file: FileRow, { objectKey, partNumbers }: Payload): Promise<void> {
  if (file.objectKey === objectKey || (await store.size(objectKey)) !== undefined) return;
  if (partNumbers) await store.parts.complete(file.objectKey, file.uploadId as string, partNumbers);
  await store.move(file.objectKey, objectKey);
}
