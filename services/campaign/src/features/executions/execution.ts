import { WorkflowExecution, type WorkflowExecutionStatus, workflowExecutionStates } from '@tandem/campaign-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Execution as ExecutionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { endQueuedMessages } from '../engine/end-queued.ts';

export type ExecutionRecord = z.output<typeof WorkflowExecution>;

const columns = WorkflowExecution.pick({ status: true, source: true });

/** Converts a row to the contract's `Execution`. */
export function asExecution({ number, eventId, ...row }: ExecutionRow): ExecutionRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    // The others are made of internal ids.
    eventId: checked.source === 'webhook' ? eventId : null,
    workflowVersion: number,
    allowedTransitions: workflowExecutionStates.next(checked.status),
  };
}

/** Locks an execution whose workflow the caller can reach. */
export async function lockExecution(tx: Tx, where: { id: number } | { workflowId: number; leadId: number }) {
  const row = await tx.execution.lockFirst({
    where: {
      ...where,
      workflow: { deletedAt: null },
      ...(!('id' in where) && { status: { in: ['running', 'waiting'] } }),
    },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails with 409 unless the execution can change to a status. */
export function checkTransition({ status, allowedTransitions }: ExecutionRecord, to: WorkflowExecutionStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** Cancels a running or waiting execution. A message that is being sent at this moment is still recorded. */
export async function cancel(tx: Tx, row: ExecutionRow): Promise<ExecutionRecord> {
  checkTransition(asExecution(row), 'cancelled');
  const [written] = await tx.execution.updateManyAndReturn({
    where: { id: row.id },
    data: {
      status: 'cancelled',
      endReason: 'cancelled',
      endedAt: new Date(),
      dueAt: null,
      waitsFor: null,
      parked: false,
      wake: { increment: 1 },
    },
  });
  if (!written) throw fail('not_found');
  await endQueuedMessages(tx, [written.id]);
  return asExecution(written);
}
