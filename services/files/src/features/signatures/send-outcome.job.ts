import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { sendAgainAt, sendCopies, sendEnd } from './notify.ts';
import { peopleAndFields } from './request.ts';
import type { WholeRequest } from './whole-request.ts';

/** Job that sends the messages about the end of a request, after the tenant had reached its daily limit of messages. */
export const sendOutcomeJob = { name: 'send-signature-outcome', payload: z.object({ requestId: z.int() }) };

export const sendOutcome = (tools: Tools) =>
  job({
    ...sendOutcomeJob,
    async run({ payload: { requestId: id }, finish }: JobContext<z.output<typeof sendOutcomeJob.payload>, Tx>) {
      await finish(async (inside) => {
        const request = await inside.tx.signatureRequest.lockFirst({ where: { id } });
        if (!request) return undefined;
        const whole: WholeRequest = { request, ...(await peopleAndFields(inside.tx, [id])) };
        const isQueued = await (request.status === 'completed' ? sendCopies : sendEnd)(tools, inside, whole);
        return isQueued ? undefined : sendAgainAt();
      });
    },
  });
