import { abTestStarted, type abTests } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { asAbTest, checkSends, checkTransition, eventOf, lockTest } from './ab-test.ts';
import { checkDefinition } from './check-definition.ts';
import { copyMessages } from './copy-messages.ts';
import { copyPages } from './copy-pages.ts';
import { examineAbTestJob, nextLook } from './examine-ab-test.job.ts';

const hourMs = 3_600_000;

export const startAbTest =
  (tools: Pick<Tools, 'ids'>): Handler<typeof abTests.startAbTest> =>
  async ({ params, tx, emit, schedule, ifMatch }) => {
    const row = await lockTest(tx, params);
    const test = asAbTest(row);
    ifMatch(test);
    checkTransition(test, 'running');
    await checkSends(tx, test);
    // A page or template that the draft names may be gone since.
    await checkDefinition(tx, test);
    const copied =
      test.target === 'landing_page' ? await copyPages(tx, test) : await copyMessages(tools, tx, { test, row });
    const startedAt = new Date();
    const endsAt = new Date(startedAt.getTime() + test.durationHours * hourMs);
    const data = { ...copied, status: 'running', startedAt, endsAt, version: { increment: 1 } };
    const [written] = await tx.abTest.updateManyAndReturn({ where: { id: test.id }, data }).catch((error: unknown) => {
      throw isTaken(error) ? fail('target_in_test') : error;
    });
    if (!written) throw fail('not_found');
    if (test.autoPromote)
      await schedule(examineAbTestJob, [{ abTestId: test.id }], nextLook({ startedAt, endsAt }, startedAt));
    const started = asAbTest(written);
    emit(abTestStarted, { ...eventOf(started), changes: { status: { from: test.status, to: started.status } } });
    return started;
  };
