import type { Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { backgroundJobs } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { RuleRecord } from './scoring-rule.ts';

export const crmJobs = backgroundJobs('crm');

/** Job that recalculates the scores of all leads, as the background job of this number. */
export const recountScoresJob = { name: 'recount-scores', payload: z.object({ jobId: id('job') }) };
/** Job that lets the points of past events fade, every day. */
export const decayScoresJob = { name: 'decay-scores', payload: z.object({}) };

const dayMs = 86_400_000;
const minuteMs = 60_000;
const spreadMinutes = 60;

/** The time of the next daily run: within the first hour of the day in UTC, so that not all tenants run at once. */
export function nextDecayAt(now = new Date()): Date {
  const midnight = (Math.floor(now.getTime() / dayMs) + 1) * dayMs;
  return new Date(midnight + Math.floor(Math.random() * spreadMinutes) * minuteMs);
}

/** Locks the state of the tenant's scoring, under which rules change and batches of a recount run one after the other. */
export async function lockState(tx: Tx) {
  await tx.sql`INSERT INTO scoring_state DEFAULT VALUES ON CONFLICT DO NOTHING`;
  const state = await tx.scoringState.lockFirst({ where: {} });
  if (!state) throw new Error('The state of scoring is missing');
  return state;
}

type State = Awaited<ReturnType<typeof lockState>>;

/**
 * Starts the recount of all leads, after the rules changed under the lock of the state. A recount that has not ended
 * begins again.
 * @returns the background job
 */
export async function startRecount(
  { tx, schedule, caller }: { tx: Tx; schedule: Schedule; caller: Caller },
  { tenantId, recountJobId }: State,
): Promise<number> {
  const fresh = { recountAfter: 0, recountDone: 0, recountTotal: null, recountChanged: 0 };
  if (recountJobId !== null) {
    await tx.scoringState.updateMany({ where: { tenantId }, data: fresh });
    await crmJobs.progress(tx.sql, recountJobId, { done: 0, total: 0 });
    return recountJobId;
  }
  const start = { kind: 'score_recount', permission: 'config:write', caller, input: {} };
  const { jobId } = await crmJobs.start(tx.sql, start);
  await tx.scoringState.updateMany({ where: { tenantId }, data: { ...fresh, recountJobId: jobId } });
  await schedule(recountScoresJob, [{ jobId }]);
  return jobId;
}

/** Schedules the daily run unless it is scheduled, for rules whose points fade. */
export async function scheduleDecay(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { tenantId, decayScheduled }: State,
  rule: Pick<RuleRecord, 'active' | 'decayDays'>,
): Promise<void> {
  if (decayScheduled || !rule.active || rule.decayDays === null) return;
  await tx.scoringState.updateMany({ where: { tenantId }, data: { decayScheduled: true, decayAfter: 0 } });
  await schedule(decayScoresJob, [{}], nextDecayAt());
}
