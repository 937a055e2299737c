import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { endRequest } from './end-request.ts';
import { isOpen, lockRequest } from './request.ts';

/** Job that ends a request for which not everybody signed in time. */
export const expireRequestJob = { name: 'expire-signature-request', payload: z.object({ requestId: z.int() }) };

export const expireRequest = (tools: Tools) =>
  job({
    ...expireRequestJob,
    async run({ payload: { requestId }, finish }: JobContext<z.output<typeof expireRequestJob.payload>, Tx>) {
      await finish(async (inside) => {
        if (!(await inside.tx.signatureRequest.count({ where: { id: requestId, file: { deletedAt: null } } }))) return;
        const whole = await lockRequest(inside.tx, requestId);
        if (!isOpen(whole.request)) return;
        await endRequest(tools, inside, whole, { status: 'expired', entry: { type: 'expired' } });
      });
    },
  });
