import type { bulkRuns } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelBulkRun } from './cancel-bulk-run.ts';
import { getBulkRun } from './get-bulk-run.ts';
import { listBulkRunItems } from './list-bulk-run-items.ts';
import { retryFailed } from './retry-failed.ts';
import { runAgentInBulk } from './run-agent-in-bulk.ts';

export const bulkRunHandlers = (tools: Tools) =>
  ({
    runAgentInBulk: runAgentInBulk(tools),
    getBulkRun,
    listBulkRunItems: listBulkRunItems(tools),
    cancelBulkRun,
    retryFailed: retryFailed(tools),
  }) satisfies Handlers<typeof bulkRuns, Tx>;
