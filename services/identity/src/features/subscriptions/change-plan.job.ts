import { id, PlanCode, timestamp } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { setPlan } from './set-plan.ts';
import { lockSubscription, nothingScheduled, writeSubscription } from './subscription.ts';

/** Job that changes the plan at the end of a period. */
export const changePlanJob = {
  name: 'change-plan',
  payload: z.object({ subscriptionId: id('subscription'), planCode: PlanCode, at: timestamp() }),
};

/** Changes the plan, unless the change was withdrawn or replaced meanwhile. */
export const changePlan = (tools: Tools) =>
  job({
    ...changePlanJob,
    async run({ payload, finish }: JobContext<z.output<typeof changePlanJob.payload>, Tx>) {
      const { subscriptionId, planCode, at } = payload;
      let moved: number | undefined;
      await finish(async ({ tx, emit }) => {
        const { tenant, before } = await lockSubscription(tx, subscriptionId);
        if (before.pendingPlanCode !== planCode || before.pendingChangeAt?.getTime() !== at.getTime()) return;
        await setPlan({ tx, emit }, tenant, planCode);
        await writeSubscription({ tx, emit }, before, { ...nothingScheduled, planCode });
        moved = tenant.tenantId;
      });
      if (moved !== undefined) await tools.invalidateCredentials({ tenantId: moved });
    },
  });
