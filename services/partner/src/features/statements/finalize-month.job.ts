import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { readMonths } from '../months/time-zone.ts';
import { finalizeStatements } from './finalize-statements.ts';
import { finalFrom } from './statement.ts';

/** Finalizes the statements of a month, portion by portion. */
export const finalizeMonthJob = {
  name: 'finalize-statements-of-month',
  payload: z.object({ period: z.string(), after: z.int() }),
};

const portion = 200;

export const finalizeMonth = job({
  ...finalizeMonthJob,
  rests: true,
  async run({ payload: { period, after }, finish }: JobContext<z.output<typeof finalizeMonthJob.payload>, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const due = finalFrom(await readMonths(tx), period);
      // The tenant has another time zone since the job was scheduled.
      if (due > new Date()) return due;
      const locked = await tx.sql<{ id: number }>`
        SELECT id FROM statement WHERE period = ${period} AND id > ${after} AND finalized_at IS NULL
        ORDER BY id LIMIT ${portion} FOR NO KEY UPDATE`;
      if (!locked.length) return;
      const rows = await tx.statement.findMany({ where: { id: { in: locked.map(({ id }) => id) } } });
      await finalizeStatements({ tx, emit }, rows);
      const last = locked.at(-1);
      if (last && locked.length === portion) await schedule(finalizeMonthJob, [{ period, after: last.id }]);
    });
  },
  /** Without another one, nobody would learn that the statements are final. */
  giveUp: scheduleAgain(finalizeMonthJob),
});
