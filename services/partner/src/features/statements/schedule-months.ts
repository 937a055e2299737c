import { type ConsumerContext, consumer, type Schedule } from '@tandem/events';
import { commissionCancelled, commissionEarned, commissionPaid } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { readMonths } from '../months/time-zone.ts';
import { finalizeMonthJob } from './finalize-month.job.ts';
import { finalFrom } from './statement.ts';

/** Each month with statements gets a job that finalizes them. These events are those that create statements. */
export const finalizeMonths = consumer({
  name: 'finalize-months',
  on: [commissionEarned, commissionCancelled, commissionPaid],
  async handle(events, context: ConsumerContext<Tx>) {
    await scheduleMonths(
      context,
      events.map(({ record }) => record.partnerId),
    );
  },
});

// The first event after an upgrade finds the months of years, of which nobody waits for news.
const newsDays = 100;

/** Schedules the jobs of months of partners that have none yet, unless they ended long ago. */
export async function scheduleMonths(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  partnerIds: readonly number[],
): Promise<void> {
  const rows = await tx.sql<{ period: string }>`
    INSERT INTO statement_month (period) SELECT DISTINCT period FROM statement
    WHERE partner_id = ANY(${[...new Set(partnerIds)]}::bigint[]) AND NOT EXISTS (
      SELECT FROM statement_month AS known WHERE known.period = statement.period)
    ORDER BY period ON CONFLICT DO NOTHING RETURNING period`;
  if (!rows.length) return;
  const months = await readMonths(tx);
  const oldest = new Date(Date.now() - newsDays * 86_400_000);
  for (const { period } of rows) {
    const due = finalFrom(months, period);
    if (due > oldest) await schedule(finalizeMonthJob, [{ period, after: 0 }], due);
  }
}
