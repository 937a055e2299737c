import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';
import { isWaitingForDocument } from '../request.ts';
import { addSigned, showFailure, storeSigned } from '../signed-document.ts';
import { isMissing, ProviderError } from './provider.ts';

/** Job that fetches the signed document from the provider and stores it as a version of the file. */
export const fetchSignedJob = { name: 'fetch-signed-document', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof fetchSignedJob.payload>;

export const fetchSigned = (tools: Tools) =>
  job({
    ...fetchSignedJob,
    async run({ payload: { requestId }, scope, tx: reader, outside, scheduleNow, finish }: JobContext<Payload, Tx>) {
      const request = await reader.signatureRequest.findFirst({ where: { id: requestId, file: { deletedAt: null } } });
      const provider = request && tools.providers[request.provider as keyof typeof tools.providers];
      if (!request || !isWaitingForDocument(request)) return;
      if (!provider || request.providerRef === null) throw new Error('The provider of the request is not configured');
      const { providerRef, fileId } = request;
      const stored = await storeSigned(tools.store, { tx: reader, outside, scheduleNow }, async () => {
        const bytes = await provider.download(providerRef);
        const inspected = await tools.pdf.inspect(bytes, scope.tenantId);
        // Viewers may add scripts of their own; only a document that cannot be opened is refused.
        if ('error' in inspected && inspected.error === 'not_pdf') throw new ProviderError('The document is not a PDF');
        return bytes;
      });
      await finish((inside) => addSigned(tools, inside, { requestId, fileId }, stored));
    },

    giveUp: ({ payload: { requestId }, error, tx }: GiveUpContext<Payload, Tx>) =>
      showFailure({ tx }, requestId, { isGone: isMissing(error) }),
  });
