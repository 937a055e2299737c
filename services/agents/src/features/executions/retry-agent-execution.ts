import { executionStates, type executions } from '@tandem/agents-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { lockStarting } from './daily-cap.ts';
import { asExecution, type ExecutionRecord } from './execution.ts';
import { startExecution } from './start-execution.ts';
import { readStartable, type Startable } from './startable.ts';

/** The statuses of executions that can be repeated. */
const ended = ['failed', 'timed_out', 'cancelled', 'skipped'] as const;

interface Found {
  startable: Startable;
  execution: ExecutionRecord;
}

export const retryAgentExecution = (tools: Tools): Handler<typeof executions.retryAgentExecution, Found> => ({
  async check({ params, caller, tx }) {
    const execution = await findEnded(tx, params.id, (row) => checkLeadReadable(tools, caller, row));
    const { agentId, leadId } = execution;
    const startable = await readStartable(tools, { caller, tx }, { agentId, leadIds: [leadId] });
    if (!startable.readable.has(leadId)) throw fail('lead_gone');
    return { startable, execution };
  },
  async run({ found: { startable, execution }, ...context }) {
    const { id: retryOf, leadId, input } = execution;
    const { tx } = context;
    // Two requests at once, also one for the bulk run: the second one waits here, and sees what the first one has started.
    await lockStarting(tx, startable);
    if (await tx.execution.count({ where: { retryOf } })) throw fail('already_repeated');
    return startExecution(context, startable, { leadId, input, retryOf });
  },
});

async function findEnded(
  tx: Tx,
  id: number,
  check: (row: { leadId: number } | null) => Promise<void>,
): Promise<ExecutionRecord> {
  const row = await tx.execution.findFirst({ where: { id } });
  await check(row);
  if (!row) throw fail('not_found');
  const execution = asExecution(row);
  if (!ended.some((status) => status === execution.status))
    throw fail('wrong_status', [transitionError(execution.status, executionStates.next(execution.status))]);
  return execution;
}
