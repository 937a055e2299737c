import { abTestDeleted, type abTests } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asAbTest, eventOf, lockTest } from './ab-test.ts';

export const deleteAbTest: Handler<typeof abTests.deleteAbTest> = async ({ params, tx, emit, ifMatch }) => {
  const test = asAbTest(await lockTest(tx, params));
  ifMatch(test);
  if (test.status === 'running') throw fail('ab_test_running');
  await tx.abTest.deleteMany({ where: { id: test.id } });
  emit(abTestDeleted, eventOf(test));
  return { id: test.id, deleted: true };
};
