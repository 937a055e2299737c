import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { notifyTurn, sendAgainAt } from './notify.ts';
import { isOpen, lockRequest } from './request.ts';

/** Job that invites those whose turn it is, after the tenant had reached its daily limit of messages. */
export const inviteSignersJob = { name: 'invite-signers', payload: z.object({ requestId: z.int() }) };

export const inviteSigners = (tools: Tools) =>
  job({
    ...inviteSignersJob,
    async run({ payload: { requestId }, finish }: JobContext<z.output<typeof inviteSignersJob.payload>, Tx>) {
      await finish(async (inside) => {
        if (!(await inside.tx.signatureRequest.count({ where: { id: requestId, file: { deletedAt: null } } }))) return;
        const whole = await lockRequest(inside.tx, requestId);
        if (!isOpen(whole.request) || (await notifyTurn(tools, inside, whole))) return;
        return sendAgainAt();
      });
    },
  });
