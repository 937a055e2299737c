import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { signatureCompleted } from '@tandem/files-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { discardObjectJob } from '../files/discard-object-job.ts';
import { lockPresent } from '../files/file.ts';
import { addVersion } from '../versions/add-version.ts';
import { certificateOf } from './certificate.ts';
import { readBytes, versionOf } from './document.ts';
import { scopeOf } from './links.ts';
import { type Inside, sendCopies } from './notify.ts';
import { eventOf, findRequest, isWaitingForDocument, lockRequest, type WholeRequest, writeRequest } from './request.ts';
import { stampsOf } from './stamps.ts';
import { readTrail, record } from './trail.ts';

/** Job that makes the signed document and stores it as a version of the file, once everybody has signed. */
export const completeRequestJob = { name: 'complete-signature-request', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof completeRequestJob.payload>;

export const completeRequest = (tools: Tools) =>
  job({
    ...completeRequestJob,
    async run({ payload: { requestId }, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      if (!(await isWaiting(reader, requestId))) return;
      const whole = await findRequest(reader, requestId);
      const { tenantId, environment } = await scopeOf(reader);
      const version = await versionOf(reader, whole.request.versionId);
      const file = await reader.file.findFirst({ where: { id: whole.request.fileId } });
      const { entries } = await readTrail(reader, requestId);
      const certificate = certificateOf(
        tools,
        { ...whole, filename: file?.filename ?? '', entries, tenantId },
        'certificate',
      );
      const objectKey = objectKeyOf({ tenantId, environment, requestId });
      const signed = await outside(async () => {
        const document = await readBytes(tools, version);
        const bytes = await tools.pdf.finish(
          {
            document,
            stamps: stampsOf(tools, whole),
            certificate,
            key: tools.signingKeys.current,
            signingTime: whole.request.allSignedAt as Date,
            reason: whole.request.subject,
            name: whole.request.senderName,
          },
          tenantId,
        );
        if (!bytes) return undefined;
        await tools.store.put(objectKey, Readable.from([Buffer.from(bytes)]));
        return { size: bytes.length, checksumSha256: createHash('sha256').update(bytes).digest('hex') };
      });
      // A retry at once would take as long.
      if (!signed) return finish((inside) => showFailure(inside, requestId));
      await finish(async ({ tx, emit, schedule }) => {
        if (!(await isWaiting(tx, requestId))) return schedule(discardObjectJob, [{ objectKey }]);
        // The file first, as in deletions, which then check the status of the request.
        const locked = await lockPresent(tx, whole.request.fileId);
        const current = await lockRequest(tx, requestId);
        // It was cancelled meanwhile.
        if (!isWaitingForDocument(current.request)) return schedule(discardObjectJob, [{ objectKey }]);
        const stored = {
          ...signed,
          objectKey,
          contentType: 'application/pdf',
          detectedContentType: 'application/pdf',
          status: 'available' as const,
          quarantineReason: null,
        };
        const { createdBy } = current.request;
        const added = await addVersion({ tx, emit }, locked, stored, { comment: current.request.subject, createdBy });
        await storeCompletion(tools, { tx, emit, schedule }, current, { id: added.version.id, ...signed });
      });
    },

    /** Shows the failure in the request, from where it can be retried. */
    giveUp: ({ payload: { requestId }, ...inside }: GiveUpContext<Payload, Tx>) => showFailure(inside, requestId),
  });

async function showFailure({ tx, schedule }: Inside, requestId: number): Promise<void> {
  if (!(await isWaiting(tx, requestId))) return;
  const { request } = await lockRequest(tx, requestId);
  await writeRequest(tx, requestId, { problem: 'completion_failed' });
  await record(tx, request, { type: 'completion_failed' });
  await schedule(discardObjectJob, [{ objectKey: objectKeyOf({ ...(await scopeOf(tx)), requestId }) }]);
}

type Finishing = Parameters<Parameters<JobContext<Payload, Tx>['finish']>[0]>[0];

/** Completes a locked request whose signed document is a version of its file. */
export async function storeCompletion(
  tools: Tools,
  { tx, emit, schedule }: Finishing,
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
  if (whole.request.provider === 'builtin') await sendCopies(tools, { tx, schedule }, whole);
}

async function isWaiting(tx: Tx, id: number): Promise<boolean> {
  const request = await tx.signatureRequest.findFirst({ where: { id, file: { deletedAt: null } } });
  return request !== null && isWaitingForDocument(request);
}

// One key for all attempts, so that a crash between them leaves no second object.
function objectKeyOf(of: { tenantId: number; environment: string; requestId: number }): string {
  return `${of.tenantId}/${of.environment}/signed-${of.requestId}`;
}
