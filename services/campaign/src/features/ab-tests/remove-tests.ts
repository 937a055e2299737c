import { abTestDeleted } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { abTestColumns, asAbTest, eventOf } from './ab-test.ts';

type TestedRecord = { campaignId: number } | { workflowId: number } | { landingPageId: number };

/** Deletes the A/B tests of a record that is deleted. Refuse the deletion while one is running. */
export async function removeTests(
  { tx, emit }: { tx: Tx; emit: Emit<typeof abTestDeleted> },
  where: TestedRecord,
): Promise<void> {
  const tests = await tx.abTest.findMany({ where, select: abTestColumns, orderBy: { id: 'asc' } });
  await tx.abTest.deleteMany({ where });
  for (const test of tests) emit(abTestDeleted, eventOf(asAbTest(test)));
}

/** Whether an A/B test of a record is running. */
export async function hasRunningTest(tx: Tx, where: TestedRecord): Promise<boolean> {
  return (await tx.abTest.count({ where: { ...where, status: 'running' } })) > 0;
}
