import { signatureExpired } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { eventOf, isDone, isOpen, lockRequest, writeRequest } from './request.ts';
import { record } from './trail.ts';

/** Job that ends a request for which not everybody signed in time. */
export const expireRequestJob = { name: 'expire-signature-request', payload: z.object({ requestId: z.int() }) };

export const expireRequest = job({
  ...expireRequestJob,
  async run({ payload: { requestId }, finish }: JobContext<z.output<typeof expireRequestJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      if (!(await tx.signatureRequest.count({ where: { id: requestId, file: { deletedAt: null } } }))) return;
      const { request, signers } = await lockRequest(tx, requestId);
      if (!isOpen(request)) return;
      const late = signers.filter((one) => one.role !== 'cc' && !isDone(one)).map(({ id }) => id);
      await tx.signer.updateMany({ where: { id: { in: late } }, data: { status: 'expired' } });
      const expired = await writeRequest(tx, requestId, { status: 'expired' });
      await record(tx, expired, { type: 'expired' });
      emit(signatureExpired, eventOf(expired));
    });
  },
});
