import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';
import { readBytes, versionOf } from '../document.ts';
import { scopeOf } from '../links.ts';
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
    async run({ payload: { requestId }, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      if (!(await isWaiting(reader, requestId))) return;
      const whole = await findRequest(reader, requestId);
      const provider = tools.providers[whole.request.provider as keyof typeof tools.providers];
      if (!provider) throw new Error(`The provider ${whole.request.provider} is not configured`);
      const version = await versionOf(reader, whole.request.versionId);
      const file = await reader.file.findFirst({ where: { id: whole.request.fileId } });
      const externalId = externalIdOf(tools, { ...(await scopeOf(reader)), requestId });
      const providerRef = await outside(async () =>
        provider.submit({
          ...whole,
          document: await readBytes(tools, version),
          filename: file?.filename ?? 'document.pdf',
          externalId,
        }),
      );
      await finish(async ({ tx, schedule }) => {
        const { request, signers } = await lockRequest(tx, requestId);
        await writeRequest(tx, requestId, { providerRef });
        const asked = signers.filter(({ status }) => status === 'pending').map(({ id }) => id);
        await tx.signer.updateMany({ where: { id: { in: asked } }, data: { status: 'sent' } });
        // It was cancelled while the provider was called.
        if (request.status !== 'sent') await schedule(withdrawRequestJob, [{ requestId }]);
      });
    },

    async giveUp({ payload: { requestId }, tx }: GiveUpContext<Payload, Tx>) {
      if (!(await isWaiting(tx, requestId))) return;
      const { request } = await lockRequest(tx, requestId);
      await writeRequest(tx, requestId, { problem: 'provider_failed' });
      await record(tx, request, { type: 'provider_failed' });
    },
  });

async function isWaiting(tx: Tx, id: number): Promise<boolean> {
  const where = { id, status: 'sent', providerRef: null, file: { deletedAt: null } };
  return (await tx.signatureRequest.count({ where })) > 0;
}
