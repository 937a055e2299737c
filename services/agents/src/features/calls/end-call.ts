import type { bulkRunCompleted, executionCompleted, executionFailed } from '@tandem/agents-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { Tools, Tx } from '../../handler.ts';
import type { EndedCall } from '../../telephony.ts';
import { type AgentRecord, readAgents } from '../agents/agent.ts';
import { attemptOf } from '../executions/call-outcome.ts';
import { asExecution, executionJobs, lockExecutions } from '../executions/execution.ts';
import { endAttempts } from '../executions/record-outcomes.ts';
import type { CallKeyValue, PhoneCallRecord } from './phone-call.ts';

/** The transaction in which a call ends. */
export interface CallTransaction {
  tx: Tx;
  emit: Emit<typeof executionCompleted | typeof executionFailed | typeof bulkRunCompleted>;
  schedule: Schedule;
}

/** Whether an execution still waits for a call. Locks the execution, which every change of a call does first. */
export async function lockWaiting(tx: Tx, { executionId, attempt }: PhoneCallRecord): Promise<boolean> {
  const [running] = await lockExecutions(tx, [executionId], ['running']);
  if (running === undefined) return false;
  return (await tx.execution.count({ where: { id: executionId, attempt } })) > 0;
}

/** Ends a call and the attempt that waits for it, once. A next attempt is scheduled as the limits of the agent say. */
export async function endCall(
  transaction: CallTransaction,
  tools: Pick<Tools, 'callRetryMs'>,
  on: { key: CallKeyValue; call: PhoneCallRecord; status: string; ended: Omit<EndedCall, 'isSimulated'> },
): Promise<void> {
  const { tx } = transaction;
  const { key, call, status, ended } = on;
  const isWaiting = await lockWaiting(tx, call);
  const [row] = await tx.phoneCall.updateManyAndReturn({
    where: { id: call.id, endedAt: null },
    data: {
      status,
      endedAt: new Date(),
      durationSeconds: ended.durationSeconds,
      ...(ended.callId && { callId: ended.callId }),
      ...(ended.error && { error: ended.error.message }),
    },
  });
  if (row && isWaiting) await endAttempt(transaction, tools, { key, call: row, ended });
}

/** Stores the outcome of the attempt that a call belongs to. Call it with the execution locked. */
export async function endAttempt(
  { tx, emit, schedule }: CallTransaction,
  { callRetryMs }: Pick<Tools, 'callRetryMs'>,
  { key, call, ended }: { key: CallKeyValue; call: PhoneCallRecord; ended: Omit<EndedCall, 'isSimulated'> },
): Promise<void> {
  const row = await tx.execution.findFirst({ where: { id: call.executionId } });
  if (!row) return;
  const execution = asExecution(row);
  const agents = await readAgents(tx, [execution.agentId]);
  const agent = agents.get(execution.agentId) as AgentRecord;
  const { startedAt, callId } = call;
  const outcome = attemptOf({ ...ended, callId, isSimulated: false }, { agent, execution, startedAt, callRetryMs });
  await endAttempts({ tx, emit }, [{ execution, result: { is: 'attempted', outcome } }]);
  const { phoneCallId: _, ...scope } = key;
  if (outcome.retryAt) await schedule(executionJobs.call, [{ executionId: execution.id, ...scope }], outcome.retryAt);
}
