import type { executions } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getBulkRun } from './get-bulk-run.ts';
import { getExecution } from './get-execution.ts';
import { listExecutions } from './list-executions.ts';
import { runAgentInBulk } from './run-agent-in-bulk.ts';

export const executionHandlers = (tools: Tools) =>
  ({
    runAgentInBulk: runAgentInBulk(tools),
    getBulkRun,
    listExecutions: listExecutions(tools),
    getExecution: getExecution(tools),
  }) satisfies Handlers<typeof executions, Tx>;
