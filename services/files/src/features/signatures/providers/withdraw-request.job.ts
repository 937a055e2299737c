import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';

/** Job that ends a cancelled request at its provider. */
export const withdrawRequestJob = { name: 'withdraw-signature-request', payload: z.object({ requestId: z.int() }) };

export const withdrawRequest = (tools: Tools) =>
  job({
    ...withdrawRequestJob,
    async run({ payload, tx, outside }: JobContext<z.output<typeof withdrawRequestJob.payload>, Tx>) {
      const request = await tx.signatureRequest.findFirst({ where: { id: payload.requestId } });
      const provider = request && tools.providers[request.provider as keyof typeof tools.providers];
      // Before it was submitted there is nothing to withdraw; the job that submits it then schedules this one again.
      if (!provider || request.providerRef === null) return;
      const { providerRef } = request;
      await outside(() => provider.withdraw(providerRef));
    },
  });
