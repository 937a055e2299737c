import type { abTests } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asAbTest, checkTransition, lockTest } from './ab-test.ts';
import { cancelTest } from './end-test.ts';

export const stopAbTest: Handler<typeof abTests.stopAbTest> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const row = await lockTest(tx, params);
  const test = asAbTest(row);
  ifMatch(test);
  checkTransition(test, 'cancelled');
  return cancelTest({ tx, emit, schedule }, row);
};
