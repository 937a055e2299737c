import { executionStarted } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asExecution, type ExecutionRecord, executionJobs, workOf } from './execution.ts';
import { lockCapacityOf, type Startable } from './startable.ts';

interface NewExecution {
  leadId: number;
  input: object | null;
  scheduledFor?: Date | undefined;
  /** The execution that this one repeats. */
  retryOf?: number;
}

/**
 * Starts one execution that a caller requests.
 * @throws ApiError 409 when the lead refuses it, one for this lead is in progress, or the daily limit is reached
 */
export async function startExecution(
  { tx, emit, schedule, caller }: { tx: Tx; emit: Emit<typeof executionStarted>; schedule: Schedule; caller: Caller },
  startable: Startable,
  { leadId, input, scheduledFor, retryOf }: NewExecution,
): Promise<ExecutionRecord> {
  const { agent, refusing } = startable;
  if (refusing.has(leadId)) throw fail('do_not_contact');
  const capacity = await lockCapacityOf(tx, startable, scheduledFor ?? new Date());
  if (capacity && capacity.executions < 1 && !capacity.busyLeads.has(leadId)) throw fail('limit_reached');
  const { tenantId = 0, environment } = caller;
  // The unique index of live executions ignores a second one for the lead.
  const [row] = await tx.execution.createManyAndReturn({
    data: [
      {
        agentId: agent.id,
        kind: agent.kind,
        trigger: 'manual',
        leadId,
        actingUserId: actingUserId(caller) ?? null,
        scheduledFor: scheduledFor ?? null,
        ...(input && { input }),
        ...(retryOf !== undefined && { retryOf }),
      },
    ],
    skipDuplicates: true,
  });
  if (!row) throw fail('already_running');
  await schedule(executionJobs[workOf(agent.kind)], [{ executionId: row.id, tenantId, environment }], scheduledFor);
  const record = asExecution(row);
  emit(executionStarted, { data: { executionId: row.id, agentId: agent.id, leadId }, record });
  return record;
}
