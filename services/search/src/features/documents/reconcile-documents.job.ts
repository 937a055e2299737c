import { type GiveUpContext, type JobContext, job, nextNightAt, type Schedule } from '@tandem/jobs';
import { createLog } from '@tandem/process';
import { rebuildSteps } from '@tandem/search-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { type DocumentType, recordTypes, type Writing } from './document.ts';
import { findRemoved } from './find-removed.ts';
import { type Page, readRecords } from './read-records.ts';
import { writeDocuments } from './write-documents.ts';

/** The job that compares the documents of a tenant with the records, every night. */
export const reconcileJob = { name: 'reconcile-documents', payload: z.object({}) };

const knownMax = 100_000;
const scheduled = new Set<string>();
const log = createLog('search');

/** Schedules the job of a tenant and environment, once. */
export async function scheduleReconciliation(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { tenantId, environment }: { tenantId: number; environment: string },
  at = nextNightAt(),
): Promise<void> {
  const id = `${tenantId} ${environment}`;
  if (scheduled.has(id)) return;
  const [isFirst] = await tx.sql`INSERT INTO reconciliation DEFAULT VALUES ON CONFLICT DO NOTHING RETURNING 1 AS one`;
  if (isFirst) await schedule(reconcileJob, [{}], at);
  // A transaction that is rolled back is repeated elsewhere or by another event: only what was there before is certain.
  else if (scheduled.size < knownMax) scheduled.add(id);
}

interface Place {
  type: DocumentType;
  step: (typeof rebuildSteps)[number];
  after: number;
  checked: number;
  repaired: number;
}

/**
 * Writes the documents whose version, and with it the time of the last change, is not that of their record, and removes those
 * whose record no longer exists: events that were lost are made up for. One page a run; the position is stored with it.
 */
export const reconcileDocuments = (tools: Tools) =>
  job({
    ...reconcileJob,
    lane: 'builds',
    rests: true,
    async run({ scope, tx, outside, finish }: JobContext<object, Tx>) {
      const [place] = await tx.sql<Place>`SELECT type, step, after, checked, repaired FROM reconciliation`;
      if (!place) return;
      const { type, step } = place;
      const asked = { type, after: place.after || null, as: { ...scope, requestId: 'reconcile_documents' } };
      const page = await outside(() => (step === 'index' ? readRecords(tools, asked) : findRemoved(tools, tx, asked)));
      const differing = step === 'index' ? await differingOf(tools, tx, page) : page.writings;
      await finish(async (inside) => {
        if (differing.length) await writeDocuments(tools, inside, differing, { sameVersion: step === 'index' });
        const now = { checked: place.checked + page.writings.length, repaired: place.repaired + differing.length };
        const next = page.next === null ? nextPart(place) : { type, step, after: page.next };
        if (!next) return endRun(inside.tx, now);
        await inside.tx
          .sql`UPDATE reconciliation SET type = ${next.type}, step = ${next.step}, after = ${next.after}::bigint,
          checked = ${now.checked}::int, repaired = ${now.repaired}::int`;
        return new Date();
      });
    },
    async giveUp({ schedule }: GiveUpContext<object, Tx>) {
      await schedule(reconcileJob, [{}], nextNightAt());
    },
  });

/** The part after this one; undefined after the last. */
function nextPart({ type, step }: Place): Pick<Place, 'type' | 'step' | 'after'> | undefined {
  const parts = recordTypes.flatMap((one) => rebuildSteps.map((each) => ({ type: one, step: each, after: 0 })));
  return parts[parts.findIndex((part) => part.type === type && part.step === step) + 1];
}

/** Notes what the run found, and returns when the next one begins. */
async function endRun(tx: Tx, { checked, repaired }: Pick<Place, 'checked' | 'repaired'>): Promise<Date> {
  if (repaired) log.warn('documents differed from their records and were repaired', { checked, repaired });
  await tx.sql`UPDATE reconciliation SET type = 'lead', step = 'index', after = 0, checked = 0, repaired = 0,
    last_checked = ${checked}::int, last_repaired = ${repaired}::int, completed_at = clock_timestamp()`;
  return nextNightAt();
}

interface Known {
  documentId: string;
  version: number;
  isRemoved: boolean;
}

/** The documents of a page that are missing, older than their record, or not removed although it is. */
async function differingOf(tools: Tools, tx: Tx, { writings }: Page): Promise<Writing[]> {
  const [first] = writings;
  if (!first) return [];
  const index = await tools.driver.index(tx, first.type);
  const rows = await tx.sql<Known>`
    SELECT document_id AS "documentId", version, removed_at IS NOT NULL AS "isRemoved" FROM document
    WHERE type = ${index} AND document_id = ANY(${writings.map(({ documentId }) => documentId)}::text[])`;
  const known = new Map(rows.map((row) => [row.documentId, row]));
  return writings.filter(({ documentId, version = 0, document }) => {
    const row = known.get(documentId);
    // Tombstones are kept for 30 days: a deleted record without one is not found, as it should be.
    if (!row) return document !== undefined;
    // A client may have removed the document of a record: it stays removed until the record changes.
    return row.version < version || (row.version === version && !row.isRemoved && document === undefined);
  });
}
