import type { abTests } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { abTestColumns, asAbTest } from './ab-test.ts';

export const getAbTest: Handler<typeof abTests.getAbTest> = async ({ params: { id: campaignId, testId }, tx }) => {
  const row = await tx.abTest.findFirst({ where: { id: testId, campaignId }, select: abTestColumns });
  if (!row) throw fail('not_found');
  return asAbTest(row);
};
