import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';
import { isCompletedAt, ProviderError } from './provider.ts';

/** Job that ends a request at its provider. The request itself may be removed before it runs. */
export const withdrawRequestJob = {
  name: 'withdraw-signature-request',
  payload: z.object({
    provider: z.string(),
    providerRef: z.string(),
    /** For a file that is erased: the provider must not keep its document either. */
    evenIfCompleted: z.boolean().optional(),
  }),
};

export const withdrawRequest = (tools: Tools) =>
  job({
    ...withdrawRequestJob,
    async run({ payload, outside }: JobContext<z.output<typeof withdrawRequestJob.payload>, Tx>) {
      const provider = tools.providers[payload.provider as keyof typeof tools.providers];
      if (!provider) throw new Error(`The provider ${payload.provider} is not configured`);
      const { providerRef, evenIfCompleted = false } = payload;
      await outside(async () => {
        // Everybody signed before the request ended here: the provider has the only signed document.
        if (!evenIfCompleted && (await isCompletedAt(provider, providerRef))) return;
        await provider.withdraw(providerRef).catch(ignoreMissing);
      });
    },
  });

/** A request that the provider does not have any more is withdrawn. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ProviderError && error.status === 404)) throw error;
}
