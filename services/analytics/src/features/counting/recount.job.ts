import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { countEvents, type StoredEvent } from '../events/count-events.ts';
import { factKinds } from '../facts/index.ts';
import { recountFacts } from '../facts/write-facts.ts';
import { addCounts, countingIn, holdCounting, stopCounting } from './index.ts';

const parts: readonly string[] = ['begin', 'events', ...factKinds.map(({ type }) => type)];
const batchMax = 500;

/** The job that counts what a tenant has by the days of another time zone. One run counts a batch and schedules the next one. */
export const recountJob = {
  name: 'recount',
  payload: z.object({ part: z.string(), after: z.int() }),
};
type Payload = z.output<typeof recountJob.payload>;

/** Schedules the recount; if one is running, that one takes the new time zone over at its end. */
export async function scheduleRecount(tx: Tx, schedule: Schedule): Promise<void> {
  const [scheduled] =
    await tx.sql`SELECT id FROM platform.job WHERE name = ${recountJob.name} AND state <> 'dead' LIMIT 1`;
  if (!scheduled) await schedule(recountJob, [{ part: 'begin', after: 0 }]);
}

export const recount = job({
  ...recountJob,
  rests: true,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const next = await runPart(tx, payload);
      if (next) await schedule(recountJob, [next]);
    });
  },
});

/** Runs one batch; resolves to the next one, or undefined at the end. */
async function runPart(tx: Tx, { part, after }: Payload): Promise<Payload | undefined> {
  if (part === 'begin') return (await begin(tx)) ? { part: 'events', after: 0 } : undefined;
  const last = part === 'events' ? await recountEvents(tx) : await recountKind(tx, part, after);
  if (last !== undefined) return { part, after: last };
  const following = parts[parts.indexOf(part) + 1];
  // Another change of the time zone may have come meanwhile.
  return { part: following ?? 'begin', after: 0 };
}

/** From now on, records are counted by the days of the time zone that the tenant has. */
async function begin(tx: Tx): Promise<boolean> {
  await stopCounting(tx);
  const [changed] = await tx.sql`
    UPDATE counting SET timezone_before = timezone, timezone = wanted_timezone, recounted_to = 0,
      recount_up_to = (SELECT coalesce(max(id), 0) FROM engagement_event WHERE is_counted)
    WHERE timezone <> wanted_timezone RETURNING timezone`;
  return changed !== undefined;
}

async function recountEvents(tx: Tx): Promise<number | undefined> {
  const counting = await holdCounting(tx);
  const [state] = await tx.sql<{ before: string | null; from: number; to: number }>`
    SELECT timezone_before AS before, recounted_to AS from, recount_up_to AS to FROM counting FOR UPDATE`;
  if (!state?.before) return undefined;
  const events = await tx.sql<StoredEvent>`
    SELECT id, type, timestamp, automated, is_first AS "isFirst", is_opening AS "isOpening", assigned_to AS "assignedTo", team_id AS "teamId"
    FROM engagement_event WHERE id > ${state.from}::bigint AND id <= ${state.to}::bigint AND is_counted
    ORDER BY id LIMIT ${batchMax}::int`;
  const last = events.at(-1)?.id;
  if (last === undefined) await tx.sql`UPDATE counting SET timezone_before = NULL`;
  else await tx.sql`UPDATE counting SET recounted_to = ${last}::bigint`;
  const before = countEvents(events, countingIn(state.before)).map((count) => ({ ...count, count: -count.count }));
  await addCounts(tx, [...before, ...countEvents(events, counting)]);
  return last;
}

async function recountKind(tx: Tx, part: string, after: number): Promise<number | undefined> {
  const kind = factKinds.find(({ type }) => type === part);
  if (!kind) return undefined;
  const counting = await holdCounting(tx);
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM ${kind.table} WHERE id > ${after}::bigint ORDER BY id LIMIT ${batchMax}::int`;
  await addCounts(tx, await recountFacts(tx, kind, { ids: rows.map(({ id }) => id), counting }));
  return rows.at(-1)?.id;
}
