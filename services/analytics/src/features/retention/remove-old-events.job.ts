import { plans } from '@tandem/contract';
import { type GiveUpContext, type JobContext, type JobScope, job, nextNightAt, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';

/** The job that removes the engagement events of a tenant that its plan does not keep, every night. */
export const retentionJob = { name: 'remove-old-events', payload: z.object({}) };

const batchMax = 2_000;
// A plan with fewer days takes effect later, so that a payment that failed or a mistake removes nothing.
const graceDays = 30;
const knownMax = 100_000;
const known = new Set<string>();

/** Schedules the job of a tenant and environment, once. */
export async function scheduleRetention(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { tenantId, environment }: Pick<JobScope, 'tenantId' | 'environment'>,
): Promise<void> {
  const id = `${tenantId} ${environment}`;
  if (known.has(id)) return;
  const [isFirst] = await tx.sql`INSERT INTO retention DEFAULT VALUES ON CONFLICT DO NOTHING RETURNING 1 AS one`;
  if (isFirst) await schedule(retentionJob, [{}], nextNightAt());
  // A transaction that is rolled back is repeated elsewhere or by another event: only what was there before is certain.
  else if (known.size < knownMax) known.add(id);
}

/** Removes one batch; the sums of the removed events stay. */
export const removeOldEvents = ({ identity }: Peers) =>
  job({
    ...retentionJob,
    rests: true,
    async run({ scope, outside, finish }: JobContext<object, Tx>) {
      const as = { ...scope, requestId: 'remove_old_events' };
      const { plan } = await outside(() => identity.readEntitlements({ query: {}, as }));
      await finish(async ({ tx }) => {
        const days = await daysKept(tx, plans[plan].engagementDays);
        if (days === null) return nextNightAt();
        return (await removeBatch(tx, days)) < batchMax ? nextNightAt() : new Date();
      });
    },
    async giveUp({ schedule }: GiveUpContext<object, Tx>) {
      await schedule(retentionJob, [{}], nextNightAt());
    },
  });

/** How many days events are kept now; null without an end. */
async function daysKept(tx: Tx, ofPlan: number | null): Promise<number | null> {
  const [kept] = await tx.sql<{ days: number | null }>`
    UPDATE retention SET
      days = CASE WHEN is_shorter AND NOT is_due THEN days ELSE ${ofPlan}::int END,
      shorter_since = CASE WHEN is_shorter AND NOT is_due THEN coalesce(shorter_since, now()) END
    FROM (SELECT coalesce(${ofPlan}::int < coalesce(days, 2147483647), false) AS is_shorter,
      coalesce(shorter_since < now() - make_interval(days => ${graceDays}::int), false) AS is_due FROM retention) AS state
    RETURNING days`;
  return kept?.days ?? null;
}

/** Removes the oldest events with their insertIds, and resolves to their number. Events that are not counted yet stay. */
async function removeBatch(tx: Tx, days: number): Promise<number> {
  const removed = await tx.sql<{ timestamp: Date }>`
    WITH old AS MATERIALIZED (
      SELECT id, timestamp FROM engagement_event
      WHERE timestamp < date_trunc('day', now()) - make_interval(days => ${days}::int) AND is_counted
      ORDER BY timestamp LIMIT ${batchMax}::int),
    gone AS (DELETE FROM engagement_key WHERE event_id IN (SELECT id FROM old))
    DELETE FROM engagement_event AS event USING old WHERE event.id = old.id AND event.timestamp = old.timestamp
    RETURNING event.timestamp`;
  if (removed.length)
    await tx.sql`UPDATE retention SET kept_since = greatest(kept_since, date_trunc('day', now()) - make_interval(days => ${days}::int))`;
  return removed.length;
}
