import { agentErrors, noLeadsMessage, scheduleStopped } from '@tandem/agents-contract';
import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { type JobContext, type JobScope, job, scheduleAgain } from '@tandem/jobs';
import { ApiError, reachOf } from '@tandem/service';
import type { z } from 'zod';
import { Prisma, type AgentSchedule as ScheduleRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { startRun } from '../bulk-runs/start-run.ts';
import { asSchedule, awaitNextRun, nextRun, scheduledRunJob, timetableOf } from './schedule.ts';
import { readScheduledRun, type ScheduledRun } from './target.ts';

type Context = JobContext<z.output<typeof scheduledRunJob.payload>, Tx>;
type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

interface Fault {
  code: string;
  message: string;
}

const misfiredMs = 5 * 60_000;

const notPermitted = {
  code: 'owner_not_permitted',
  message: 'The user who created the schedule is not active, or may not run the agent any more',
};
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
      const run = owner && (await runOf(tools, { caller: owner, tx }, found));
      await finish(async (inside) => {
        const row = await inside.tx.agentSchedule.lockFirst({ where });
        if (!row) return;
        if (!owner || !run) return stop(inside, row, notPermitted);
        await startNext(inside, row, { run, owner });
      });
    },
    // Otherwise the schedule would never run again.
    giveUp: scheduleAgain(scheduledRunJob),
  });

/** The run that is due, or why there is none. */
async function runOf(tools: Tools, on: { caller: Caller; tx: Tx }, row: ScheduleRow): Promise<ScheduledRun | Fault> {
  const lateMs = Date.now() - (row.nextRunAt as Date).getTime();
  if (row.misfire === 'skip' && lateMs > misfiredMs) return missed;
  try {
    const run = await readScheduledRun(tools, on, row, asSchedule(row));
    return run.leads.length ? run : noLeads;
  } catch (error) {
    const message = error instanceof ApiError ? refusals[error.code] : undefined;
    if (error instanceof ApiError && message) return { code: error.code, message };
    throw error;
  }
}

async function startNext(
  { tx, emit, schedule }: Inside,
  row: ScheduleRow,
  { run, owner: caller }: { run: ScheduledRun | Fault; owner: Caller },
): Promise<void> {
  const begin = async ({ afterLeadId, ...toStart }: ScheduledRun) => {
    const { bulkRunId } = await startRun({ tx, emit, schedule, caller }, toStart);
    return { lastError: Prisma.DbNull, lastRunAt: new Date(), lastBulkRunId: bulkRunId, afterLeadId };
  };
  // The clock of this process may be behind that of the database, by which the job is due.
  const after = new Date(Math.max(Date.now(), (row.nextRunAt as Date).getTime()));
  const next = nextRun(timetableOf(row), after);
  const result = 'startable' in run ? await begin(run) : { lastError: { ...run } };
  await tx.agentSchedule.updateMany({ where: { id: row.id }, data: { ...next, ...result } });
  await awaitNextRun(schedule, { ...row, ...next });
}

async function stop({ tx, emit }: Inside, { id, agentId, version }: ScheduleRow, fault: Fault): Promise<void> {
  const [row] = await tx.agentSchedule.updateManyAndReturn({
    where: { id },
    data: { status: 'paused', nextRunAt: null, lastError: { ...fault }, version: version + 1 },
  });
  if (row) emit(scheduleStopped, { data: { agentScheduleId: id, agentId, ...fault }, record: asSchedule(row) });
}

/**
 * The user with whose permissions a schedule runs, as they are now; undefined unless they may run agents. Without a user it
 * was created by a key with access to all leads.
 */
async function readOwner(
  { identity }: Tools,
  { createdBy }: ScheduleRow,
  scope: JobScope,
): Promise<Caller | undefined> {
  const requestId = `schedule_${crypto.randomUUID()}`;
  if (createdBy === null)
    return { type: 'system', name: 'agents', permissions: ['agents:write', 'leads:read'], requestId, ...scope };
  const [params, as] = [{ id: createdBy }, { ...scope, requestId }];
  const user = await orAbsent(identity.findUser({ params, as }));
  if (user?.status !== 'active') return undefined;
  const { permissions } = await identity.findUserPermissions({ params, as });
  const { name, teamIds } = user;
  const owner: Caller = { type: 'user', userId: createdBy, name, teamIds, permissions, requestId, ...scope };
  const mayRun = ['agents:write', 'leads:read'].every((permission) => reachOf(owner, permission) !== 'none');
  return mayRun ? owner : undefined;
}
