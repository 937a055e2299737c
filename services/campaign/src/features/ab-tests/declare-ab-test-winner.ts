import type { abTests } from '@tandem/campaign-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asAbTest, checkTransition, lockTest } from './ab-test.ts';
import { completeTest } from './end-test.ts';

export const declareAbTestWinner: Handler<typeof abTests.declareAbTestWinner> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const row = await lockTest(tx, params);
  const test = asAbTest(row);
  ifMatch(test);
  checkTransition(test, 'completed');
  const keys = test.variants.map(({ key }) => key);
  if (!keys.includes(body.variantKey)) throw failField('variantKey', `Must be one of ${keys.join(', ')}`);
  return completeTest({ tx, emit, schedule }, row, {
    winnerKey: body.variantKey,
    decidedBy: 'user',
    inconclusive: false,
  });
};
