import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The job that has documents embedded. A tenant has it while `is_queued` is true, and exactly once. */
export const embedJob = { name: 'embed-documents', payload: z.object({}) };

export interface EmbeddingState {
  model: string;
  coveredBy: string | null;
  isQueued: boolean;
  failures: number;
  batchMax: number;
  sweepAfter: number | null;
}

export async function readState(tx: Tx): Promise<EmbeddingState | undefined> {
  const [state] =
    await tx.sql<EmbeddingState>`SELECT model, covered_by AS "coveredBy", is_queued AS "isQueued", failures,
    batch_max AS "batchMax", sweep_after AS "sweepAfter" FROM embedding_state`;
  return state;
}

/**
 * Schedules the job unless the tenant has it already, which locks nothing. A transaction calls it after it has written
 * documents: the job ends only when no such transaction is open.
 */
export async function wakeEmbedding(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  model: string | undefined,
): Promise<void> {
  if (!model) return;
  const woken = await tx.sql`
    WITH woken AS (UPDATE embedding_state SET is_queued = true WHERE NOT is_queued RETURNING 1 AS one),
    begun AS (
      INSERT INTO embedding_state (model) SELECT ${model} WHERE NOT EXISTS (SELECT FROM embedding_state)
      ON CONFLICT DO NOTHING RETURNING 1 AS one)
    SELECT one FROM woken UNION ALL SELECT one FROM begun`;
  if (woken.length) await schedule(embedJob, [{}]);
}

/** Notes that the job begins with another model, or with the first one. */
export async function useModel(tx: Tx, model: string): Promise<void> {
  await tx.sql`UPDATE embedding_state SET model = ${model}, covered_by = NULL, sweep_after = 0, failures = 0
    WHERE model <> ${model}`;
}

/** Notes how a request ended. */
export async function noteRequest(tx: Tx, now: Pick<EmbeddingState, 'failures' | 'batchMax'>): Promise<void> {
  await tx.sql`UPDATE embedding_state SET failures = ${now.failures}::int, batch_max = ${now.batchMax}::int`;
}

/** Searches use the model no longer: too many documents wait for it. */
export async function noteUncovered(tx: Tx): Promise<void> {
  await tx.sql`UPDATE embedding_state SET covered_by = NULL WHERE covered_by IS NOT NULL`;
}

/** Searches use the model from now on: no document waits for it. */
export async function noteCovered(tx: Tx): Promise<void> {
  await tx.sql`UPDATE embedding_state SET covered_by = model WHERE covered_by IS DISTINCT FROM model`;
}

/** The job ends; whoever writes a document schedules it again. */
export async function noteIdle(tx: Tx): Promise<void> {
  await tx.sql`UPDATE embedding_state SET is_queued = false`;
}
