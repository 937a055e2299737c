import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { SignatureRequest as RequestRow } from '../../../generated/client.ts';
import type { Tools, Tx } from '../../../handler.ts';
import { readBytes, versionOf } from '../document.ts';
import type { Inside } from '../notify.ts';
import { findRequest, lockRequest, writeRequest } from '../request.ts';
import { record } from '../trail.ts';
import { externalIdOf } from './external-id.ts';
import { withdrawRequestJob } from './withdraw-request.job.ts';

/** Job that sends a request to its provider. */
export const submitRequestJob = { name: 'submit-signature-request', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof submitRequestJob.payload>;

export const submitRequest = (tools: Tools) =>
  job({
    ...submitRequestJob,
    async run({ payload: { requestId }, scope, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      if (!(await isWaiting(reader, requestId))) return;
      const whole = await findRequest(reader, requestId);
      const { providerRef } = whole.request;
      const provider = tools.providers[whole.request.provider as keyof typeof tools.providers];
      if (!provider) throw new Error(`The provider ${whole.request.provider} is not configured`);
      if (providerRef !== null) {
        await outside(() => provider.send(providerRef));
        return finish((inside) => storeSent(inside, requestId));
      }
      const version = await versionOf(reader, whole.request.versionId);
      const file = await reader.file.findFirst({ where: { id: whole.request.fileId } });
      const externalId = externalIdOf(tools, { ...scope, requestId });
      const created = await outside(async () =>
        provider.create({
          ...whole,
          document: await readBytes(tools, version),
          filename: file?.filename ?? 'document.pdf',
          externalId,
        }),
      );
      // Its id is stored before anybody is asked to sign, so that a repetition sends the same one.
      await finish((inside) => storeCreated(inside, whole.request, created));
    },

    async giveUp({ payload: { requestId }, tx }: GiveUpContext<Payload, Tx>) {
      if (!(await isWaiting(tx, requestId))) return;
      const { request } = await lockRequest(tx, requestId);
      await writeRequest(tx, requestId, { problem: 'provider_failed' });
      await record(tx, request, { type: 'provider_failed' });
    },
  });

/** @returns when to send it; undefined if it ended meanwhile, or an event of the provider has reported another id */
async function storeCreated({ tx, schedule }: Inside, { id, provider }: RequestRow, created: string) {
  const request = await tx.signatureRequest.lockFirst({ where: { id } });
  const isOurs = request !== null && (request.providerRef ?? created) === created;
  if (isOurs) await writeRequest(tx, id, { providerRef: created });
  if (isOurs && isActive(request)) return new Date();
  await schedule(withdrawRequestJob, [{ provider, providerRef: created }]);
  return undefined;
}

async function storeSent({ tx, schedule }: Inside, requestId: number): Promise<void> {
  const request = await tx.signatureRequest.lockFirst({ where: { id: requestId } });
  // With its file, the request was removed and withdrawn.
  if (!request) return;
  await tx.signer.updateMany({ where: { requestId, status: 'pending' }, data: { status: 'sent' } });
  await writeRequest(tx, requestId, {});
  const { provider, providerRef } = request;
  // It ended while the provider was called, which may have sent it after it was withdrawn.
  if (!isActive(request) && request.status !== 'completed' && providerRef !== null)
    await schedule(withdrawRequestJob, [{ provider, providerRef }]);
}

function isActive({ status }: Pick<RequestRow, 'status'>): boolean {
  return status === 'sent' || status === 'in_progress';
}

/** Whether the provider has not confirmed yet that it sent the request. */
async function isWaiting(tx: Tx, id: number): Promise<boolean> {
  const active = { status: { in: ['sent', 'in_progress'] }, allSignedAt: null };
  const where = { id, ...active, file: { deletedAt: null } };
  if (!(await tx.signatureRequest.count({ where }))) return false;
  return (await tx.signer.count({ where: { requestId: id, status: 'pending' } })) > 0;
}
