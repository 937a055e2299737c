import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { parentChangeRefused } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { applyParentChangeJob, asParentChange, moveTo, parentsOf } from './parent-change.ts';
import { lockHierarchy, lockPlace, refusalOf } from './place.ts';

const hourMs = 3_600_000;

type Payload = z.output<typeof applyParentChangeJob.payload>;

/** Applies a scheduled change of a parent, unless it was replaced or is not possible any more. */
export const applyParentChange = job({
  ...applyParentChangeJob,
  async run({ payload: { parentChangeId: id }, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, emit }) => {
      await lockHierarchy(tx);
      const waiting = await tx.parentChange.findFirst({ where: { id, status: 'scheduled' } });
      const place = waiting && (await lockPlace(tx, waiting.partnerId, waiting.toParentId));
      if (!place) return;
      const reason = (await refusalOf(tx, place)) ?? null;
      const data = { status: reason ? 'refused' : 'applied', reason };
      const [row] = await tx.parentChange.updateManyAndReturn({ where: { id }, data });
      if (!row) return;
      const change = asParentChange(row);
      if (reason) emit(parentChangeRefused, { data: { ...parentsOf(change), reason }, record: change });
      else await moveTo({ tx, emit }, change);
    });
  },
  /** Otherwise the change would stay scheduled for ever. */
  async giveUp({ payload, schedule }: GiveUpContext<Payload, Tx>) {
    await schedule(applyParentChangeJob, [payload], new Date(Date.now() + hourMs));
  },
});
