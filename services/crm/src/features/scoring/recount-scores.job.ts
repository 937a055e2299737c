import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { rescoreLeads } from './rescore.ts';
import { crmJobs, lockState, recountScoresJob } from './scoring-state.ts';

/** Leads that are recalculated in one transaction; their locks last until its end. */
const batchMax = 500;
// Counting more leads may take longer than a statement is permitted to.
const countedMax = 100_000;

type Payload = z.output<typeof recountScoresJob.payload>;

/**
 * Recalculates the scores of all leads after a change of rules, batch by batch. The progress is written in the transaction
 * of each batch, so that a run that is repeated after a crash changes no lead twice.
 */
export const recountScores = job({
  ...recountScoresJob,
  lane: 'scores',
  async run({ payload: { jobId }, tx, finish }: JobContext<Payload, Tx>) {
    const [counted] = await tx.sql<{ leads: number }>`SELECT coalesce(
        (SELECT recount_total FROM scoring_state),
        (SELECT CASE WHEN count(*) > ${countedMax} THEN 0 ELSE count(*) END
          FROM (SELECT FROM lead WHERE deleted_at IS NULL LIMIT ${countedMax + 1}) AS present))::int AS leads`;
    await finish(async (inside) => {
      const state = await lockState(inside.tx);
      if (state.recountJobId !== jobId) return undefined;
      const { tenantId } = state;
      const rows = await inside.tx.sql<{ id: number }>`SELECT id FROM lead
        WHERE id > ${state.recountAfter}::bigint AND deleted_at IS NULL ORDER BY id LIMIT ${batchMax}`;
      const changed = await rescoreLeads(inside, new Map(rows.map(({ id }) => [id, 'rules_changed'])));
      const done = state.recountDone + rows.length;
      // 0 is an unknown total. Leads may be created while the recount runs.
      const total = counted?.leads ? Math.max(counted.leads, done) : 0;
      const recountChanged = state.recountChanged + changed;
      if (rows.length === batchMax) {
        const data = { recountAfter: rows.at(-1)?.id ?? 0, recountDone: done, recountTotal: total, recountChanged };
        await inside.tx.scoringState.updateMany({ where: { tenantId }, data });
        await crmJobs.progress(inside.tx.sql, jobId, { done, total });
        return new Date();
      }
      await inside.tx.scoringState.updateMany({ where: { tenantId }, data: { recountJobId: null } });
      await crmJobs.complete(inside.tx.sql, jobId, { result: { leads: done, changed: recountChanged }, total: done });
      return undefined;
    });
  },
  async giveUp({ payload: { jobId }, tx }: GiveUpContext<Payload, Tx>) {
    await tx.scoringState.updateMany({ where: { recountJobId: jobId }, data: { recountJobId: null } });
    const message = 'The job failed repeatedly. Change a scoring rule to start it again.';
    await crmJobs.fail(tx.sql, jobId, { code: 'recount_failed', message });
  },
});
