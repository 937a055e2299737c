import { agentErrors, noLeadsMessage, scheduleStopped } from '@tandem/agents-contract';
import type { Caller } from '@tandem/caller';
import { type JobContext, type JobScope, job, scheduleAgain } from '@tandem/jobs';
import { ApiError, reachOf } from '@tandem/service';
import type { z } from 'zod';
import { readActingUser } from '../../acting-user.ts';
import { Prisma, type AgentSchedule as ScheduleRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type RunToStart, startRun } from '../bulk-runs/start-run.ts';
import { asSchedule, awaitNextRun, nextRun, scheduledRunJob, timetableOf } from './schedule.ts';
import { readScheduledRun } from './target.ts';

type Context = JobContext<z.output<typeof scheduledRunJob.payload>, Tx>;
type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

interface Fault {
  code: string;
  message: string;
}

/** The run that is due, or why there is none, and the lead after which the next one continues. */
type Due = { afterLeadId?: number | null } & ({ run: RunToStart; fault?: never } | { run?: never; fault: Fault });

const misfiredMs = 5 * 60_000;

const notPermitted = {
  code: 'owner_not_permitted',
  message: 'The user who created the schedule is not active, or may not run the agent any more',
};
const notInPlan = { code: 'feature_not_available', message: 'The plan of the tenant has no agents any more' };
const missed = { code: 'missed', message: 'The time passed while no process could start the run' };
const noLeads = { code: 'no_leads', message: noLeadsMessage };
/** Refusals of a run that may be gone at the next time. */
const refusals: Record<string, string> = {
  agent_paused: 'The agent was paused',
  telephony_not_configured: agentErrors.telephony_not_configured[1],
};

/** Starts the run of a schedule at one of its times, and schedules the next one, in one transaction. */
export const startScheduledRun = (tools: Tools) =>
  job({
    ...scheduledRunJob,
    async run({ payload, scope, tx, finish }: Context) {
      // A job for a time that the schedule does not have any more has nothing to do.
      const where = { id: payload.agentScheduleId, status: 'active', nextRunAt: payload.scheduledFor };
      const found = await tx.agentSchedule.findFirst({ where });
      if (!found) return;
      const owner = await readOwner(tools, found, scope);
      const { features } = await tools.entitlementsOf({ ...scope, requestId: `schedule_${found.id}` });
      const run = owner && (await runOf(tools, { caller: owner, tx }, found));
      await finish(async (inside) => {
        const row = await inside.tx.agentSchedule.lockFirst({ where });
        if (!row) return;
        // The run was prepared for the schedule as it was; the next attempt sees the change.
        if (row.version !== found.version) throw new Error('The schedule changed while its run was prepared');
        if (!features.includes('agents')) return stop(inside, row, notInPlan);
        if (!owner || !run) return stop(inside, row, notPermitted);
        await startNext(inside, row, { due: run, owner });
      });
    },
    // Otherwise the schedule would never run again.
    giveUp: scheduleAgain(scheduledRunJob),
  });

/** The run that is due, or why there is none. */
async function runOf(tools: Tools, on: { caller: Caller; tx: Tx }, row: ScheduleRow): Promise<Due> {
  const lateMs = Date.now() - (row.nextRunAt as Date).getTime();
  if (row.misfire === 'skip' && lateMs > misfiredMs) return { fault: missed };
  try {
    const { afterLeadId, ...run } = await readScheduledRun(tools, on, row, asSchedule(row));
    // A long search without a match continues at the next time.
    return run.leads.length ? { run, afterLeadId } : { fault: noLeads, afterLeadId };
  } catch (error) {
    const message = error instanceof ApiError ? refusals[error.code] : undefined;
    if (error instanceof ApiError && message) return { fault: { code: error.code, message } };
    throw error;
  }
}

async function startNext(
  { tx, emit, schedule }: Inside,
  row: ScheduleRow,
  { due, owner: caller }: { due: Due; owner: Caller },
): Promise<void> {
  // The clock of this process may be behind that of the database, by which the job is due.
  const after = new Date(Math.max(Date.now(), (row.nextRunAt as Date).getTime()));
  const next = nextRun(timetableOf(row), after);
  const position = due.afterLeadId === undefined ? {} : { afterLeadId: due.afterLeadId };
  let result: object = { lastError: { ...due.fault } };
  if (due.run) {
    const { bulkRunId } = await startRun({ tx, emit, schedule, caller }, due.run);
    result = { lastError: Prisma.DbNull, lastRunAt: new Date(), lastBulkRunId: bulkRunId };
  }
  await tx.agentSchedule.updateMany({ where: { id: row.id }, data: { ...next, ...position, ...result } });
  await awaitNextRun(schedule, { ...row, ...next });
}

async function stop({ tx, emit }: Inside, { id, agentId, version }: ScheduleRow, fault: Fault): Promise<void> {
  const [row] = await tx.agentSchedule.updateManyAndReturn({
    where: { id },
    data: { status: 'paused', nextRunAt: null, lastError: { ...fault }, version: version + 1 },
  });
  if (row) emit(scheduleStopped, { data: { agentScheduleId: id, agentId, ...fault }, record: asSchedule(row) });
}

/** The user with whose permissions a schedule runs; undefined unless they may run agents. */
async function readOwner(tools: Tools, { createdBy }: ScheduleRow, scope: JobScope): Promise<Caller | undefined> {
  if (createdBy === null) return undefined;
  const owner = await readActingUser(tools, createdBy, { scope, requestId: `schedule_${crypto.randomUUID()}` });
  const mayRun = ['agents:write', 'leads:read'].every((one) => owner && reachOf(owner, one) !== 'none');
  return mayRun ? owner : undefined;
}
