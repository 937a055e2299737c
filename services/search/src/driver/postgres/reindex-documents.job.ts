import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import { z } from 'zod';
import type { Tx } from '../../database.ts';
import { factsDigest, termsOf } from '../../fields.ts';
import { digestOf } from '../../terms.ts';
import { noteChecks, pairDocumentsJob } from './duplicate-checks.ts';
import { typeOfIndex, writtenIndexes } from './generations.ts';
import { writeTerms } from './index-terms.ts';
import { withOwners } from './write-documents.ts';

/** The job that gives a tenant's documents the terms of the current form of the index. */
export const reindexJob = { name: 'reindex-documents', payload: z.object({}) };

const batchMax = 100;

/** Reads documents, not the records of other services. It runs batch by batch, until no document is outdated. */
export const reindexDocuments = job({
  ...reindexJob,
  async run({ finish }: JobContext<z.output<typeof reindexJob.payload>, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const { documents, isNoted } = await reindexBatch(tx);
      if (isNoted) await schedule(pairDocumentsJob, [{}]);
      return documents === batchMax ? new Date() : undefined;
    });
  },
});

interface OutdatedDocument {
  id: number;
  type: string;
  documentId: string;
  facts: string | null;
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

/** Schedules the job if there are outdated documents: they lack the keys by which duplicates are found. */
export async function reindexIfOutdated(tx: Tx, schedule: Schedule): Promise<void> {
  const [outdated] = await tx.sql`SELECT id FROM document
    WHERE CASE WHEN removed_at IS NULL AND left(words, 3) IS DISTINCT FROM 'v6:' THEN 1 END = 1 LIMIT 1`;
  if (outdated) await scheduleReindex(tx, schedule);
}

/** Resolves to how many documents there were, at most `batchMax`, and whether some wait for the comparison with others. */
async function reindexBatch(tx: Tx): Promise<{ documents: number; isNoted: boolean }> {
  const indexesOf = await writtenIndexes(tx);
  // A document that is locked is being written, which gives it the current form. The condition is that of the index
  // document_outdated_v6_idx: PostgreSQL expects few rows to equal a constant, so it chooses the index.
  const outdated = await tx.sql<OutdatedDocument>`
    SELECT id, type, document_id AS "documentId", facts, document, owners FROM document
    WHERE CASE WHEN removed_at IS NULL AND left(words, 3) IS DISTINCT FROM 'v6:' THEN 1 END = 1
    ORDER BY id LIMIT ${batchMax}::int FOR UPDATE SKIP LOCKED`;
  if (!outdated.length) return { documents: 0, isNoted: false };
  const documents = await inTurns(outdated, ({ document, ...rest }) => {
    const type = typeOfIndex(rest.type);
    return { ...rest, terms: termsOf(document, type), newFacts: factsDigest(type, document) };
  });
  await writeTerms(
    tx,
    documents.map(({ id, type, owners, terms }) => ({ id, type, terms: withOwners(terms, owners) })),
  );
  const digests = documents.map(({ id, terms, newFacts }) => ({ id, words: digestOf(terms), facts: newFacts }));
  await tx.sql`UPDATE document SET words = given.words, facts = given.facts
    FROM jsonb_to_recordset(${JSON.stringify(digests)}::jsonb) AS given (id bigint, words text, facts text)
    WHERE document.id = given.id`;
  const changed = documents.map(({ facts, newFacts, ...row }) => ({
    ...row,
    isRemoved: false,
    factsChanged: facts !== newFacts,
  }));
  const isNoted = await noteChecks(tx, changed, { liveOf: (type) => indexesOf(type).live, intoNew: false });
  return { documents: outdated.length, isNoted };
}
