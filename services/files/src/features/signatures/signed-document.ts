import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { signatureCompleted } from '@tandem/files-contract';
import type { Inside as Effects, JobContext } from '@tandem/jobs';
import type { Tools, Tx } from '../../handler.ts';
import type { Store } from '../../store/store.ts';
import { discardDueAt, discardObjectJob } from '../files/discard-object-job.ts';
import { lockPresent } from '../files/file.ts';
import { newObjectKey } from '../files/object-keys.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { addVersion } from '../versions/add-version.ts';
import { scopeOf } from './links.ts';
import { type Inside, sendAgainAt, sendCopies } from './notify.ts';
import { recordAllActions } from './providers/acted-at-provider.ts';
import { eventOf, isWaitingForDocument, lockRequest, writeRequest } from './request.ts';
import { sendOutcomeJob } from './send-outcome.job.ts';
import { record } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

type Storing = Pick<JobContext<unknown, Tx>, 'tx' | 'outside' | 'scheduleNow'>;

/**
 * Stores the signed document of one attempt under a key of its own: an attempt that lost its lease to another one must not
 * overwrite the document that the other one completed the request with. The job that is scheduled before the first byte
 * removes documents that became no version.
 * @param make creates or fetches the document; undefined if that is not possible
 */
export async function storeSigned(
  store: Store,
  { tx, outside, scheduleNow }: Storing,
  make: () => Promise<Uint8Array | undefined>,
): Promise<StoredObject | undefined> {
  const objectKey = newObjectKey(await scopeOf(tx));
  await scheduleNow(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
  return outside(async () => {
    const bytes = await make();
    if (!bytes) return undefined;
    await store.put(objectKey, Readable.from([Buffer.from(bytes)]));
    return {
      objectKey,
      size: bytes.length,
      checksumSha256: createHash('sha256').update(bytes).digest('hex'),
      contentType: 'application/pdf',
      detectedContentType: 'application/pdf',
      status: 'available',
      quarantineReason: null,
      scan: null,
    };
  });
}

/** Makes a signed document the current version of its file, and completes the request; without one, shows the failure. */
export async function addSigned(
  tools: Tools,
  inside: Effects<Tx>,
  { requestId, fileId }: { requestId: number; fileId: number },
  stored: StoredObject | undefined,
): Promise<void> {
  if (!stored) return showFailure(inside, requestId);
  const { tx, emit, schedule } = inside;
  const discard = () => schedule(discardObjectJob, [{ objectKey: stored.objectKey }]);
  if (!(await isWaiting(tx, requestId))) return discard();
  // The file first, as in deletions, which then check the status of the request.
  const file = await lockPresent(tx, fileId);
  const whole = await lockRequest(tx, requestId);
  // It was cancelled or completed meanwhile.
  if (!isWaitingForDocument(whole.request)) return discard();
  if (whole.request.status === 'expired') await recordAllActions(inside, whole);
  const { subject, createdBy } = whole.request;
  const { version } = await addVersion({ tx, emit }, file, stored, { comment: subject, createdBy });
  await complete(tools, inside, whole, { id: version.id, checksumSha256: stored.checksumSha256 });
}

/** Completes a locked request whose signed document is a version of its file. */
async function complete(
  tools: Tools,
  { tx, emit, schedule }: Effects<Tx>,
  whole: WholeRequest,
  version: { id: number; checksumSha256: string },
): Promise<void> {
  whole.request = await writeRequest(tx, whole.request.id, {
    status: 'completed',
    completedAt: new Date(),
    completedVersionId: version.id,
    completedSha256: version.checksumSha256,
    problem: null,
  });
  await record(tx, whole.request, { type: 'completed', documentSha256: version.checksumSha256 });
  const { data, record: content } = eventOf(whole.request);
  emit(signatureCompleted, { data: { ...data, versionId: version.id }, record: content });
  if (whole.request.provider === 'builtin' && !(await sendCopies(tools, { tx, schedule }, whole)))
    await schedule(sendOutcomeJob, [{ requestId: whole.request.id }], sendAgainAt());
}

/**
 * Shows in the request that its document could not be made, from where it can be retried.
 * @param isGone whether the provider does not have the document
 */
export async function showFailure(
  { tx }: Pick<Inside, 'tx'>,
  requestId: number,
  { isGone = false }: { isGone?: boolean } = {},
): Promise<void> {
  if (!(await isWaiting(tx, requestId))) return;
  const { request } = await lockRequest(tx, requestId);
  // The provider has removed the document of an expired request, which stays what it is: a retry would not find it either.
  if (!isGone || request.status !== 'expired') await writeRequest(tx, requestId, { problem: 'completion_failed' });
  await record(tx, request, { type: 'completion_failed' });
}

/** Whether a request of a file that is not deleted waits for its signed document. */
export async function isWaiting(tx: Tx, id: number): Promise<boolean> {
  const request = await tx.signatureRequest.findFirst({ where: { id, file: { deletedAt: null } } });
  return request !== null && isWaitingForDocument(request);
}
