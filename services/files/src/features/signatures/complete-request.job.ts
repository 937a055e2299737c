import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { certificateOf } from './certificate.ts';
import { readBytes, versionOf } from './document.ts';
import { findRequest } from './request.ts';
import { addSigned, isWaiting, showFailure, storeSigned } from './signed-document.ts';
import { stampsOf } from './stamps.ts';
import { readTrail } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

/** Job that makes the signed document and stores it as a version of the file, once everybody has signed. */
export const completeRequestJob = { name: 'complete-signature-request', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof completeRequestJob.payload>;

export const completeRequest = (tools: Tools) =>
  job({
    ...completeRequestJob,
    async run({ payload: { requestId }, scope, tx: reader, outside, scheduleNow, finish }: JobContext<Payload, Tx>) {
      if (!(await isWaiting(reader, requestId))) return;
      const whole = await findRequest(reader, requestId);
      if (!hasAllSignatures(whole)) return finish((inside) => showFailure(inside, requestId));
      const version = await versionOf(reader, whole.request.versionId);
      const file = await reader.file.findFirst({ where: { id: whole.request.fileId } });
      const { entries } = await readTrail(reader, requestId);
      const certificate = certificateOf(
        tools,
        { ...whole, filename: file?.filename ?? '', entries, ...scope },
        'certificate',
      );
      const stored = await storeSigned(tools.store, { tx: reader, outside, scheduleNow }, async () =>
        tools.pdf.finish(
          {
            document: await readBytes(tools, version),
            stamps: stampsOf(tools, whole),
            certificate,
            environment: scope.environment,
            key: tools.signingKeys.current,
            signingTime: whole.request.allSignedAt as Date,
            reason: whole.request.subject,
            name: whole.request.senderName,
          },
          scope.tenantId,
        ),
      );
      const { fileId } = whole.request;
      // A retry at once would take as long.
      await finish((inside) => addSigned(tools, inside, { requestId, fileId }, stored));
    },

    /** Shows the failure in the request, from where it can be retried. */
    giveUp: ({ payload: { requestId }, tx }: GiveUpContext<Payload, Tx>) => showFailure({ tx }, requestId),
  });

/** A document without the signature of a person who has signed must not be sealed. */
function hasAllSignatures({ signers }: WholeRequest): boolean {
  return signers.every(({ status, signature }) => status !== 'signed' || signature !== null);
}
