import type { abTests } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createAbTest } from './create-ab-test.ts';
import { declareAbTestWinner } from './declare-ab-test-winner.ts';
import { deleteAbTest } from './delete-ab-test.ts';
import { getAbTest } from './get-ab-test.ts';
import { getAbTestResults } from './get-ab-test-results.ts';
import { listAbTests } from './list-ab-tests.ts';
import { startAbTest } from './start-ab-test.ts';
import { stopAbTest } from './stop-ab-test.ts';
import { updateAbTest } from './update-ab-test.ts';

export const abTestHandlers = (tools: Pick<Tools, 'ids'>) =>
  ({
    createAbTest,
    listAbTests,
    getAbTest,
    updateAbTest,
    deleteAbTest,
    startAbTest: startAbTest(tools),
    stopAbTest,
    declareAbTestWinner,
    getAbTestResults,
  }) satisfies Handlers<typeof abTests, Tx>;
