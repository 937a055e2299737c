import { personalDataErased, personalDataServices } from '@tandem/contract';
import { leadErased } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { erasureJobs, lockPending, missingServices, recordReport } from './erasure.ts';

/** Records which services have erased their data of a person, and completes the erasure with the last one. */
export const collectErasures = consumer({
  name: 'collect-erasures',
  on: [personalDataErased],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    for (const { record, data } of events) {
      const erasure = await lockPending(tx, record.id);
      if (!erasure) continue;
      const { leadId, jobId } = erasure;
      const erased = await recordReport(tx, erasure, data);
      if (missingServices(erased).length) continue;
      await tx.erasure.updateMany({
        where: { id: erasure.id },
        data: { completedAt: new Date(), person: Prisma.DbNull },
      });
      const total = personalDataServices.length;
      await erasureJobs.complete(tx.sql, jobId, { result: { services: erased }, total });
      const changes = { erased: { from: null, to: erased } };
      emit(leadErased, { data: { leadId, erased }, record: { id: leadId }, changes });
    }
  },
});
