import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import { z } from 'zod';
import { termsOf } from '../../fields.ts';
import type { Tx } from '../../handler.ts';
import { digestOf } from '../../terms.ts';
import { typeOfIndex } from './generations.ts';
import { writeTerms } from './index-terms.ts';
import { withOwners } from './write-documents.ts';

/** The job that gives a tenant's documents the terms of the current form of the index. */
export const reindexJob = { name: 'reindex-documents', payload: z.object({}) };

const batchMax = 100;

/** Reads documents, not the records of other services. It runs batch by batch, until no document is outdated. */
export const reindexDocuments = job({
  ...reindexJob,
  async run({ finish }: JobContext<z.output<typeof reindexJob.payload>, Tx>) {
    await finish(async ({ tx }) => ((await reindexBatch(tx)) === batchMax ? new Date() : undefined));
  },
});

interface OutdatedDocument {
  id: number;
  type: string;
  document: Record<string, unknown>;
  owners: string[];
}

/**
 * Schedules the job unless it is waiting or running already. Searches with filters call it when they meet outdated
 * documents: until the job is done, these are not found by similarity nor sorted by name.
 */
export async function scheduleReindex(tx: Tx, schedule: Schedule): Promise<void> {
  const [scheduled] =
    await tx.sql`SELECT id FROM platform.job WHERE name = ${reindexJob.name} AND state <> 'dead' LIMIT 1`;
  if (!scheduled) await schedule(reindexJob, [{}]);
}

/** Resolves to how many documents there were, at most `batchMax`. */
async function reindexBatch(tx: Tx): Promise<number> {
  // A document that is locked is being written, which gives it the current form. The condition is that of the index
  // document_outdated_v4_idx: PostgreSQL expects few rows to equal a constant, so it chooses the index.
  const outdated = await tx.sql<OutdatedDocument>`
    SELECT id, type, document, owners FROM document
    WHERE CASE WHEN removed_at IS NULL AND left(words, 3) IS DISTINCT FROM 'v4:' THEN 1 END = 1
    ORDER BY id LIMIT ${batchMax}::int FOR UPDATE SKIP LOCKED`;
  if (!outdated.length) return 0;
  const documents = await inTurns(outdated, ({ document, ...rest }) => ({
    ...rest,
    terms: termsOf(document, typeOfIndex(rest.type)),
  }));
  await writeTerms(
    tx,
    documents.map(({ id, type, owners, terms }) => ({ id, type, terms: withOwners(terms, owners) })),
  );
  const digests = documents.map(({ id, terms }) => ({ id, words: digestOf(terms) }));
  await tx.sql`UPDATE document SET words = given.words
    FROM jsonb_to_recordset(${JSON.stringify(digests)}::jsonb) AS given (id bigint, words text)
    WHERE document.id = given.id`;
  return outdated.length;
}
