import { abTestCancelled, abTestCompleted } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { fail, storedObject, toJsonColumn } from '@tandem/service';
import type { AbTest as AbTestRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type AbTestRecord, asAbTest, eventOf } from './ab-test.ts';
import { wakeAbTestLeadsJob } from './wake-ab-test-leads.job.ts';

interface Inside<E extends typeof abTestCompleted | typeof abTestCancelled> {
  tx: Tx;
  emit: Emit<E>;
  schedule: Schedule;
}

interface Decision {
  winnerKey: string;
  decidedBy: 'user' | 'automatic';
  inconclusive: boolean;
}

/** Completes a locked, running test: the content of the winner is kept, and leads that wait get it. */
export async function completeTest(
  { tx, emit, schedule }: Inside<typeof abTestCompleted>,
  row: AbTestRow,
  decision: Decision,
): Promise<AbTestRecord> {
  const winner = storedObject.parse(storedObject.parse(row.contents)[decision.winnerKey]);
  const { test, event } = await end({ tx, schedule }, row, {
    ...decision,
    winner: toJsonColumn(winner),
    status: 'completed',
  });
  emit(abTestCompleted, { ...event, data: { ...event.data, ...decision } });
  return test;
}

/** Ends a locked, running test without a winner: leads that wait get the original. */
export async function cancelTest(
  { tx, emit, schedule }: Inside<typeof abTestCancelled>,
  row: AbTestRow,
): Promise<AbTestRecord> {
  const { test, event } = await end({ tx, schedule }, row, { status: 'cancelled' });
  emit(abTestCancelled, event);
  return test;
}

async function end(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  row: AbTestRow,
  change: { status: 'completed' | 'cancelled' } & Partial<Decision> & { winner?: ReturnType<typeof toJsonColumn> },
) {
  const [written] = await tx.abTest.updateManyAndReturn({
    where: { id: row.id },
    data: { ...change, contents: {}, endedAt: new Date(), version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  if (row.nodeId !== null) await schedule(wakeAbTestLeadsJob, [{ abTestId: row.id, after: 0 }]);
  const test = asAbTest(written);
  return { test, event: { ...eventOf(test), changes: { status: { from: row.status, to: test.status } } } };
}
