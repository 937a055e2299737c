import { personalDataErasureRequested } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { lockPending, requestErasureJob } from './erasure.ts';

// A service that has not answered after this time is asked again.
const repeatMs = 600_000;

/** Asks all services to erase their data of a person, again until each has. */
export const requestErasure = job({
  ...requestErasureJob,
  async run({ payload: { erasureId }, finish }: JobContext<z.output<typeof requestErasureJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const erasure = await lockPending(tx, erasureId);
      if (!erasure) return;
      emit(personalDataErasureRequested, { data: { person: erasure.person }, record: { id: erasureId } });
      return new Date(Date.now() + repeatMs);
    });
  },
});
