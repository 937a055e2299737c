import { partBytesMin, type transfers } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import type { StoredPart } from '../../store/store.ts';
import { discardObjectJob } from '../files/discard-object-job.ts';
import { asFile, findPresent, lockPresent } from '../files/file.ts';
import { newContentKey } from '../files/object-keys.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { inspect } from './inspect.ts';
import { inspectUploadJob, scanLater } from './inspect-upload.job.ts';
import { setStatus, settleUpload } from './settle-upload.ts';

/** The content of a small upload, or what the job needs for a large one. */
type Content = { stored: StoredObject } | { later: { objectKey: string; partNumbers: number[] | null } } | undefined;

export const completeUpload = (tools: Tools): Handler<typeof transfers.completeUpload, Content> => ({
  async check({ params, body, tx }) {
    const file = await findPresent(tx, params.id);
    if (file.status === 'failed') throw fail('upload_failed');
    if (file.status !== 'pending_upload') return undefined;
    try {
      return await readContent(tools, file, body.parts);
    } catch (error) {
      // Another request completed the upload meanwhile, and its bytes are removed.
      if (await isComplete(tx, file)) return undefined;
      throw error;
    }
  },

  async run({ params, found, tx, emit, schedule, ifMatch }) {
    const file = await lockPresent(tx, params.id);
    if (!found || file.status !== 'pending_upload') return asFile(file);
    ifMatch(file);
    if ('stored' in found) {
      await scanLater(schedule, file.id, found.stored);
      // Only now: a request that fails before can be repeated.
      await schedule(discardObjectJob, [{ objectKey: file.objectKey }]);
      return settleUpload({ tx, emit }, file, found.stored);
    }
    await schedule(inspectUploadJob, [{ fileId: file.id, ...found.later }]);
    return setStatus({ tx, emit }, file, 'processing');
  },
});

async function isComplete(tx: Tx, { id }: FileRow): Promise<boolean> {
  return (await tx.file.count({ where: { id, status: { in: ['pending_upload', 'failed'] } } })) === 0;
}

/** Copies and checks the content of a small upload. A copy that no file gets is removed with the upload. */
async function readContent(
  tools: Tools,
  file: FileRow,
  wanted: { partNumber: number }[] | undefined,
): Promise<Exclude<Content, undefined>> {
  const { store } = tools;
  const partNumbers = await uploadedParts(tools, file, wanted);
  if (!partNumbers) await checkObject(tools, file);
  const objectKey = newContentKey(file.objectKey);
  if (file.size > tools.inlineBytesMax) return { later: { objectKey, partNumbers: partNumbers ?? null } };
  if (partNumbers) await store.parts.complete(file.objectKey, file.uploadId as string, partNumbers);
  await store.copy(file.objectKey, objectKey);
  const result = await inspect(tools, objectKey, file);
  if ('stored' in result) return result;
  for (const key of [objectKey, file.objectKey]) await store.remove(key);
  throw mismatch('content', result.mismatch);
}

/** The numbers of the parts to join; undefined when the content was sent as a whole, or its parts are joined already. */
async function uploadedParts(
  { store }: Tools,
  { objectKey, uploadId, size }: FileRow,
  wanted: { partNumber: number }[] | undefined,
): Promise<number[] | undefined> {
  const stored = uploadId === null ? [] : ((await store.parts.list(objectKey, uploadId)) ?? []);
  if (!stored.length && (!wanted || (await store.size(objectKey)) === size)) return undefined;
  const parts = wanted ? [...new Set(wanted.map(({ partNumber }) => partNumber))].map(find) : stored;
  parts.sort((one, other) => one.number - other.number);
  const short = parts.slice(0, -1).find((part) => part.size < partBytesMin);
  if (short) throw mismatch('parts', `Part ${short.number} must have at least ${partBytesMin} bytes`);
  const total = parts.reduce((sum, part) => sum + part.size, 0);
  if (total !== size) throw mismatch('parts', `Must have ${size} bytes together, not ${total}`);
  return parts.map(({ number }) => number);

  function find(number: number): StoredPart {
    const part = stored.find((one) => one.number === number);
    if (!part) throw mismatch('parts', `Part ${number} is not stored`);
    return part;
  }
}

/** Checks that the content has arrived with the declared size. */
async function checkObject({ store }: Tools, { objectKey, size }: FileRow): Promise<void> {
  const stored = await store.size(objectKey);
  if (stored === undefined) throw fail('nothing_uploaded');
  if (stored === size) return;
  await store.remove(objectKey);
  throw mismatch('content', `Must be exactly ${size} bytes, not ${stored}`);
}

function mismatch(field: string, message: string) {
  return fail('content_mismatch', [{ field, message }]);
}
