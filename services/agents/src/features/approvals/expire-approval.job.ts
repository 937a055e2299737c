import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { decide, expiryJob } from './approval.ts';

/** Expires an approval that was not decided in time. An expired approval never counts as granted. */
export const expireApproval = job({
  ...expiryJob,
  async run({ payload, finish }: JobContext<z.output<typeof expiryJob.payload>, Tx>) {
    await finish(async (inside) => {
      const { tx } = inside;
      await tx.sql`SELECT id FROM approval WHERE id = ${payload.approvalId} FOR UPDATE`;
      const waiting = await tx.approval.count({ where: { id: payload.approvalId, status: 'pending' } });
      if (waiting) await decide(inside, payload.approvalId, { decision: { status: 'expired' } });
    });
  },
});
