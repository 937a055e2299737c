import { type bulkRunCompleted, bulkRunStarted, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import type { RemainingCapacity } from '../executions/daily-cap.ts';
import { executionJobs, workOf } from '../executions/execution.ts';
import { lockCapacityOf, type Startable } from '../executions/startable.ts';
import { completeRuns } from './bulk-run.ts';
import { insertRejections, insertRun } from './insert-run.ts';

/** A lead of the request. */
interface RequestedLead {
  publicId: string;
  /** Undefined when the public id is not a lead id of this tenant. */
  leadId: number | undefined;
  /** The execution that this lead's repeats. */
  retryOf?: number;
}

/** A run whose leads were read. */
export interface RunToStart {
  startable: Startable;
  leads: RequestedLead[];
  input: object | null;
  scheduledFor: Date | undefined;
  /** The run whose failed executions this one repeats. */
  retryOf?: number;
  /** The schedule that starts it. */
  scheduleId?: number;
}

interface Context {
  tx: Tx;
  emit: Emit<typeof bulkRunStarted | typeof bulkRunCompleted>;
  schedule: Schedule;
  caller: Caller;
}

type LeadError = keyof typeof leadErrors;

/** Starts a run and its executions, and returns the result of each lead. */
export async function startRun({ tx, emit, schedule, caller }: Context, run: RunToStart) {
  const { startable, leads, input, scheduledFor, retryOf = null, scheduleId = null } = run;
  const { agent } = startable;
  const capacity = await lockCapacityOf(tx, startable, scheduledFor ?? new Date());
  const checked = checkLeads(leads, startable, capacity);
  const { runId, executions } = await insertRun(tx, {
    agent,
    total: leads.length,
    leads: checked.flatMap(({ error, leadId, retryOf: repeated = null }) =>
      error || leadId === undefined ? [] : [{ leadId, retryOf: repeated }],
    ),
    scheduledFor: scheduledFor ?? null,
    createdBy: actingUserId(caller) ?? null,
    input,
    retryOf,
    scheduleId,
  });

  const results = checked.map((lead) => resultOf(lead, executions));
  await insertRejections(
    tx,
    runId,
    checked.flatMap(({ publicId, leadId }, index) => {
      const code = results[index]?.error?.code;
      return code ? { publicId, leadId, code } : [];
    }),
  );
  const { tenantId = 0, environment } = caller;
  const payloads = [...executions.values()].map((executionId) => ({ executionId, tenantId, environment }));
  if (payloads.length) await schedule(executionJobs[workOf(agent.kind)], payloads, scheduledFor);

  const counts = { total: leads.length, accepted: executions.size, rejected: leads.length - executions.size };
  const ids = { bulkRunId: runId, agentId: agent.id };
  emit(bulkRunStarted, { data: ids, record: { id: runId, agentId: agent.id, ...counts } });
  // A run whose leads were all rejected is over.
  if (!executions.size) await completeRuns({ tx, emit }, [runId]);
  return { ...ids, ...counts, results };
}

type CheckedLead = RequestedLead & { error?: LeadError };

/** Adds an error to each lead for which no execution can start, as far as this is known before the insert. */
function checkLeads(
  leads: RequestedLead[],
  { readable, refusing }: Startable,
  capacity: RemainingCapacity | undefined,
): CheckedLead[] {
  let remaining = capacity?.executions ?? Number.POSITIVE_INFINITY;
  const seen = new Set<number>();
  return leads.map((lead) => {
    const { leadId } = lead;
    if (leadId === undefined || !readable.has(leadId)) return { ...lead, error: 'lead_not_found' };
    if (seen.has(leadId)) return { ...lead, error: 'duplicate_in_request' };
    seen.add(leadId);
    if (refusing.has(leadId)) return { ...lead, error: 'do_not_contact' };
    if (capacity?.busyLeads.has(leadId)) return { ...lead, error: 'already_running' };
    if (remaining < 1) return { ...lead, error: 'limit_reached' };
    remaining--;
    return lead;
  });
}

/** A lead without error and execution already has a live execution: the unique index skipped it. */
function resultOf({ publicId, leadId, error }: CheckedLead, executions: ReadonlyMap<number, number>) {
  const executionId = error || leadId === undefined ? undefined : executions.get(leadId);
  if (executionId !== undefined) return { leadId: publicId, status: 'success' as const, executionId };
  const code = error ?? 'already_running';
  return { leadId: publicId, status: 'error' as const, error: { code, message: leadErrors[code] } };
}
