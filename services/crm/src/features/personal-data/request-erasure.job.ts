import { personalDataErasureRequested } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { lockPending, missingServices, requestErasureJob } from './erasure.ts';

// A service that has not answered after this time is asked again.
const repeatMs = 600_000;

/** Asks all services to erase their data of a person; those that have not answered are asked again. */
export const requestErasure = job({
  ...requestErasureJob,
  async run({ payload: { erasureId }, finish }: JobContext<z.output<typeof requestErasureJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const erasure = await lockPending(tx, erasureId);
      if (!erasure) return;
      const data = { person: erasure.person, services: missingServices(erasure.erased) };
      emit(personalDataErasureRequested, { data, record: { id: erasureId } });
      return new Date(Date.now() + repeatMs);
    });
  },
});
