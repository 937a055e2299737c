import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';
import { discardObjectJob } from '../../files/discard-object-job.ts';
import { lockPresent } from '../../files/file.ts';
import { addVersion } from '../../versions/add-version.ts';
import { storeCompletion } from '../complete-request.job.ts';
import { scopeOf } from '../links.ts';
import { isWaitingForDocument, lockRequest, writeRequest } from '../request.ts';
import { record } from '../trail.ts';
import { ProviderError } from './provider.ts';

/** Job that fetches the signed document from the provider and stores it as a version of the file. */
export const fetchSignedJob = { name: 'fetch-signed-document', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof fetchSignedJob.payload>;

export const fetchSigned = (tools: Tools) =>
  job({
    ...fetchSignedJob,
    async run({ payload: { requestId }, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      const request = await reader.signatureRequest.findFirst({ where: { id: requestId, file: { deletedAt: null } } });
      const provider = request && tools.providers[request.provider as keyof typeof tools.providers];
      if (!request || !isWaitingForDocument(request)) return;
      if (!provider || request.providerRef === null) throw new Error('The provider of the request is not configured');
      const { providerRef } = request;
      const { tenantId, environment } = await scopeOf(reader);
      const objectKey = `${tenantId}/${environment}/signed-${requestId}`;
      const signed = await outside(async () => {
        const bytes = await provider.download(providerRef);
        const inspected = await tools.pdf.inspect(bytes, tenantId);
        // Viewers may add scripts of their own; only a document that cannot be opened is refused.
        if ('error' in inspected && inspected.error === 'not_pdf') throw new ProviderError('The document is not a PDF');
        await tools.store.put(objectKey, Readable.from([Buffer.from(bytes)]));
        return { size: bytes.length, checksumSha256: createHash('sha256').update(bytes).digest('hex') };
      });
      await finish(async ({ tx, emit, schedule }) => {
        const file = await lockPresent(tx, request.fileId);
        const whole = await lockRequest(tx, requestId);
        if (!isWaitingForDocument(whole.request)) return schedule(discardObjectJob, [{ objectKey }]);
        const type = 'application/pdf';
        const stored = {
          ...signed,
          objectKey,
          contentType: type,
          detectedContentType: type,
          status: 'available' as const,
          quarantineReason: null,
        };
        const { subject, createdBy } = whole.request;
        const { version } = await addVersion({ tx, emit }, file, stored, { comment: subject, createdBy });
        await storeCompletion(tools, { tx, emit, schedule }, whole, { id: version.id, ...signed });
      });
    },

    async giveUp({ payload: { requestId }, tx, schedule }: GiveUpContext<Payload, Tx>) {
      const request = await tx.signatureRequest.findFirst({ where: { id: requestId, file: { deletedAt: null } } });
      if (!request || !isWaitingForDocument(request)) return;
      const locked = await lockRequest(tx, requestId);
      await writeRequest(tx, requestId, { problem: 'completion_failed' });
      await record(tx, locked.request, { type: 'completion_failed' });
      const { tenantId, environment } = await scopeOf(tx);
      await schedule(discardObjectJob, [{ objectKey: `${tenantId}/${environment}/signed-${requestId}` }]);
    },
  });
