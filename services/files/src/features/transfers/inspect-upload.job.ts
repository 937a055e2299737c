import { type GiveUpContext, type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { isAbsent } from '../../store/store.ts';
import { discardObjectJob } from '../files/discard-object-job.ts';
import { isUploadKey, uploadFolderOf, uploadKeyOf } from '../files/object-keys.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { inspect } from './inspect.ts';
import { failUpload, settleUpload } from './settle-upload.ts';

/** Job that checks the content of a file in processing. */
export const inspectUploadJob = {
  name: 'inspect-upload',
  payload: z.object({
    fileId: z.int(),
    /** The key of the content from now on. */
    objectKey: z.string(),
    /** The parts to join before; null for content that was sent as a whole. */
    partNumbers: z.array(z.int()).nullable(),
    /** How often the scanner received the content and did not finish it. */
    unfinished: z.int().optional(),
  }),
};
type Payload = z.output<typeof inspectUploadJob.payload>;

// Content that makes the scanner end or exceed its time would be scanned forever.
const unfinishedMax = 3;
// When the content could not be read for as long as a job is tried.
const unreadableMs = 3_600_000;

const inProcessing = ({ fileId }: Payload) => ({ id: fileId, status: 'processing', deletedAt: null });

/** Joins the parts of an upload, checks its content, and makes the file available, or says why it is not. */
export const inspectUpload = (tools: Tools) =>
  job({
    ...inspectUploadJob,
    async run({ payload, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      const file = await reader.file.findFirst({ where: inProcessing(payload) });
      if (!file) return finish(({ schedule }) => discardUpload(schedule, payload));
      const rescanAt = () => new Date(Date.now() + tools.rescanMs);
      // Before the content is read, which takes long for large files.
      if (!(await outside(async () => (await tools.scanner?.isReady()) ?? true))) return finish(async () => rescanAt());
      const result = await outside(async () => {
        await takeContent(tools, file, payload);
        // Only an upload declares a checksum; versions that wait for the scanner are as they were received.
        const declaredChecksum = isUploadKey(file.objectKey) ? file.declaredChecksum : null;
        return inspect(tools, payload.objectKey, { ...file, declaredChecksum });
      });
      if ('mismatch' in result && !isUploadKey(file.objectKey)) throw new Error(`${payload.objectKey} is damaged`);
      const unfinished = (payload.unfinished ?? 0) + ('stored' in result && result.isUnfinished ? 1 : 0);
      if ('stored' in result && result.stored.status === 'processing' && unfinished < unfinishedMax)
        return finish(({ schedule }) => schedule(inspectUploadJob, [{ ...payload, unfinished }], rescanAt()));
      await finish(async ({ tx, emit, schedule }) => {
        const locked = await tx.file.lockFirst({ where: inProcessing(payload) });
        if (locked && 'mismatch' in result) return failUpload({ tx, emit, schedule }, locked);
        if (locked && 'stored' in result) await settleUpload({ tx, emit }, locked, settled(result.stored));
        await discardUpload(schedule, payload);
      });
      if ('mismatch' in result) await outside(() => tools.store.removeFolder(uploadFolderOf(file.objectKey)));
    },
    /** Content waits until it can be read, unless the store says that there is none. */
    async giveUp({ payload, tx, emit, schedule, error }: GiveUpContext<Payload, Tx>) {
      const file = isAbsent(error) ? await tx.file.lockFirst({ where: inProcessing(payload) }) : null;
      if (file && isUploadKey(file.objectKey)) return failUpload({ tx, emit, schedule }, file);
      await schedule(inspectUploadJob, [payload], new Date(Date.now() + unreadableMs));
    },
  });

/** Content that the scanner did not finish is quarantined in the end. */
function settled(stored: StoredObject): StoredObject {
  if (stored.status !== 'processing') return stored;
  const quarantineReason = `The malware scanner did not finish this content in ${unfinishedMax} attempts`;
  return { ...stored, status: 'quarantined', quarantineReason };
}

/** Schedules the job for content that could not be scanned yet. */
export async function scanLater(
  schedule: Schedule,
  fileId: number,
  { objectKey, status }: Pick<FileRow, 'objectKey' | 'status'>,
): Promise<void> {
  if (status === 'processing') await schedule(inspectUploadJob, [{ fileId, objectKey, partNumbers: null }]);
}

/** Gives the content its own key. A run after a crash finds it there. */
async function takeContent({ store }: Tools, file: FileRow, { objectKey, partNumbers }: Payload): Promise<void> {
  if (file.objectKey === objectKey || (await store.size(objectKey)) !== undefined) return;
  if (partNumbers) await store.parts.complete(file.objectKey, file.uploadId as string, partNumbers);
  await store.copy(file.objectKey, objectKey);
}

/** Removes the bytes of an upload that did not become the content of a file. */
async function discardUpload(schedule: Schedule, { objectKey }: Payload): Promise<void> {
  const uploadKey = uploadKeyOf(objectKey);
  if (uploadKey) await schedule(discardObjectJob, [{ objectKey: uploadKey }]);
}
