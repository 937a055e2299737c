import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { hangUpCallJob } from './phone-call.ts';

/** Hangs up a call of which nothing is stored any more, because the person was erased. */
export const hangUpCall = ({ telephony }: Pick<Tools, 'telephony'>) =>
  job({
    ...hangUpCallJob,
    whileSuspended: true,
    run: ({ payload, outside }: JobContext<z.output<typeof hangUpCallJob.payload>, Tx>) =>
      outside(() => telephony.hangUp(payload.callId)),
  });
