import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../../handler.ts';
import { isCompletedAt, isMissing } from './provider.ts';

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

type Payload = z.output<typeof withdrawRequestJob.payload>;

// When the provider could not be called for as long as a job is tried.
const unreachableMs = 3_600_000;

export const withdrawRequest = (tools: Tools) =>
  job({
    ...withdrawRequestJob,
    async run({ payload, outside }: JobContext<Payload, Tx>) {
      const provider = tools.providers[payload.provider as keyof typeof tools.providers];
      if (!provider) throw new Error(`The provider ${payload.provider} is not configured`);
      const { providerRef, evenIfCompleted = false } = payload;
      await outside(async () => {
        // Everybody signed before the request ended here: the provider has the only signed document.
        if (!evenIfCompleted && (await isCompletedAt(provider, providerRef))) return;
        await provider.withdraw(providerRef).catch(ignoreMissing);
      });
    },

    /**
     * Never stops: people could sign there what has ended here, and the provider would keep the document of an erased file. The
     * request may be removed, so nothing else remembers that it must be withdrawn.
     */
    giveUp: ({ payload, schedule }: GiveUpContext<Payload, Tx>) =>
      schedule(withdrawRequestJob, [payload], new Date(Date.now() + unreachableMs)),
  });

/** A request that the provider does not have any more is withdrawn. */
function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
