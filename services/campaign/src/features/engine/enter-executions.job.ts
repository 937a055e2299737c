import { ServiceCallError } from '@tandem/client/internal';
import { type BatchContext, batchJob, type Schedule } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { giveUp, unavailableMs } from './advance-executions.job.ts';
import { advanceExecutionsJob, enterExecutionsJob } from './enroll.ts';
import { readDue } from './read-batch.ts';
import { recordBatch } from './record-batch.ts';
import { byPause, walkBatch } from './walk-batch.ts';

type Payload = z.output<typeof enterExecutionsJob.payload>;

// More than when effects outside follow: a large audience enters at once, and nothing is sent here.
const batchMax = 250;

/**
 * Walks new executions to their first node that waits or has an effect outside of the database, and hands them over to
 * `advance-executions`.
 */
export const enterExecutions = (tools: Tools) =>
  batchJob({
    ...enterExecutionsJob,
    batchMax,
    async run({ due, tx, outside, finish }: BatchContext<Payload, Tx>) {
      const payloads = due.map(({ payload }) => payload);
      const { paused, running } = byPause(await readDue(tx, payloads));
      try {
        const walked = await walkBatch(tools, tx, outside, running);
        await finish(async (inside) => {
          const next = await recordBatch(tools, inside, walked, paused);
          await handOver(inside.schedule, payloads, next);
          return payloads.map(() => undefined);
        });
      } catch (error) {
        if (!(error instanceof ServiceCallError) || error.status < 500) throw error;
        await finish(async () => payloads.map(() => new Date(Date.now() + unavailableMs)));
      }
    },
    giveUp,
  });

async function handOver(
  schedule: Schedule,
  payloads: readonly Payload[],
  next: ReadonlyMap<number, Date>,
): Promise<void> {
  const continuing = payloads.filter(({ executionId }) => next.has(executionId));
  const byTime = Map.groupBy(continuing, ({ executionId }) => (next.get(executionId) as Date).getTime());
  for (const [time, some] of byTime) await schedule(advanceExecutionsJob, some, new Date(time));
}
