import { type abTests, abTestUpdated } from '@tandem/campaign-contract';
import { diff, fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asAbTest, eventOf, lockTest } from './ab-test.ts';
import { checkDefinition } from './check-definition.ts';

export const updateAbTest: Handler<typeof abTests.updateAbTest> = async ({ params, body, tx, emit, ifMatch }) => {
  const test = asAbTest(await lockTest(tx, params));
  ifMatch(test);
  if (test.status !== 'draft') throw fail('ab_test_started', [transitionError(test.status, test.allowedTransitions)]);
  const { isEmpty, values, audit } = diff(test, body);
  if (isEmpty) return test;
  await checkDefinition(tx, { ...test, ...values });
  const [row] = await tx.abTest.updateManyAndReturn({
    where: { id: test.id },
    data: { ...(values as object), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const updated = asAbTest(row);
  emit(abTestUpdated, { ...eventOf(updated), changes: audit });
  return updated;
};
