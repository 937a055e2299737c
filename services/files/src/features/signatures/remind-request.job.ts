import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { remind } from './remind-signers.ts';
import { isOpen, lockRequest, turnOf } from './request.ts';

/** Job that reminds those who have not signed, again and again while the request is open. */
export const remindRequestJob = { name: 'remind-signature-request', payload: z.object({ requestId: z.int() }) };

const dayMs = 86_400_000;
// A run may start slightly later than the one before.
const toleranceMs = 3_600_000;

export const remindRequest = (tools: Tools) =>
  job({
    ...remindRequestJob,
    async run({ payload: { requestId }, finish }: JobContext<z.output<typeof remindRequestJob.payload>, Tx>) {
      await finish(async ({ tx, schedule }) => {
        if (!(await tx.signatureRequest.count({ where: { id: requestId, file: { deletedAt: null } } }))) return;
        const whole = await lockRequest(tx, requestId);
        const { reminderEveryDays, expiresAt } = whole.request;
        if (!isOpen(whole.request) || reminderEveryDays === null) return;
        const everyMs = reminderEveryDays * dayMs;
        const ids = turnOf(whole).map(({ id }) => id);
        // Over the limit of the tenant's messages, the next reminder is sent.
        await remind(tools, { tx, schedule }, whole, { ids, pauseMs: everyMs - toleranceMs });
        const next = new Date(Date.now() + everyMs);
        return next < expiresAt ? next : undefined;
      });
    },
  });
