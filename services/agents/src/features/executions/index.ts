import type { executions } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelAgentExecution } from './cancel-agent-execution.ts';
import { getExecution } from './get-execution.ts';
import { listAgentExecutions } from './list-agent-executions.ts';
import { listExecutions } from './list-executions.ts';
import { retryAgentExecution } from './retry-agent-execution.ts';
import { runAgent } from './run-agent.ts';

export const executionHandlers = (tools: Tools) =>
  ({
    runAgent: runAgent(tools),
    listExecutions: listExecutions(tools),
    listAgentExecutions: listAgentExecutions(tools),
    getExecution: getExecution(tools),
    cancelAgentExecution: cancelAgentExecution(tools),
    retryAgentExecution: retryAgentExecution(tools),
  }) satisfies Handlers<typeof executions, Tx>;
