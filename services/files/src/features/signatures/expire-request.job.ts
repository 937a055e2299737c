import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { SignatureRequest as RequestRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { endRequest } from './end-request.ts';
import { completeAtProvider } from './providers/complete-at-provider.ts';
import { isCompletedAt } from './providers/provider.ts';
import { isOpen, lockRequest } from './request.ts';

/** Job that ends a request for which not everybody signed in time. */
export const expireRequestJob = { name: 'expire-signature-request', payload: z.object({ requestId: z.int() }) };

type Payload = z.output<typeof expireRequestJob.payload>;

// When the provider could not be asked for as long as a job is tried.
const askAgainMs = 3_600_000;

export const expireRequest = (tools: Tools) =>
  job({
    ...expireRequestJob,
    async run({ payload: { requestId }, tx: reader, outside, finish }: JobContext<Payload, Tx>) {
      const request = await findOpen(reader, requestId);
      if (!request) return;
      // The event that everybody has signed may be late, and a request that expires is withdrawn.
      const isCompleted = await outside(() => isCompletedElsewhere(tools, request));
      await finish(async (inside) => {
        if (!(await findOpen(inside.tx, requestId))) return;
        const whole = await lockRequest(inside.tx, requestId);
        if (!isOpen(whole.request)) return;
        if (isCompleted) return completeAtProvider(inside, whole);
        await endRequest(tools, inside, whole, { status: 'expired', entry: { type: 'expired' } });
      });
    },

    /** The request stays open as long as its provider does not answer: everybody may have signed. */
    giveUp: ({ payload, schedule }: GiveUpContext<Payload, Tx>) =>
      schedule(expireRequestJob, [payload], new Date(Date.now() + askAgainMs)),
  });

async function findOpen(tx: Tx, id: number): Promise<RequestRow | undefined> {
  const request = await tx.signatureRequest.findFirst({ where: { id, file: { deletedAt: null } } });
  return request && isOpen(request) ? request : undefined;
}

/** Whether everybody has signed at the provider of the request. A provider that is no longer configured is not asked. */
async function isCompletedElsewhere({ providers }: Tools, { provider, providerRef }: RequestRow): Promise<boolean> {
  const client = providers[provider as keyof typeof providers];
  return client !== undefined && providerRef !== null && isCompletedAt(client, providerRef);
}
