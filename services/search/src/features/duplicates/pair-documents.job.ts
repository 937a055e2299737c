import { type JobContext, job } from '@tandem/jobs';
import { pairDocumentsJob, takeChecks } from '../../driver/postgres/duplicate-checks.ts';
import { reindexIfOutdated } from '../../driver/postgres/reindex-documents.job.ts';
import type { Tools, Tx } from '../../handler.ts';
import { askForDecisions } from './follow-decisions.job.ts';
import { pairDocuments } from './pair-documents.ts';

// The documents of a run and of its pairs are locked until the commit.
const batchMax = 20;

/** Compares the documents that wait for it, a few a run. Documents of an earlier form lack the keys by which they are found. */
export const pairDocumentsInTurn = (tools: Tools) =>
  job({
    ...pairDocumentsJob,
    lane: 'duplicates',
    rests: true,
    async run({ finish }: JobContext<object, Tx>) {
      await finish(async ({ tx, schedule }) => {
        const checks = await takeChecks(tx, batchMax);
        if (!checks.length) return;
        await askForDecisions(schedule, await pairDocuments(tools, tx, checks));
        await reindexIfOutdated(tx, schedule);
        return checks.length === batchMax ? new Date() : undefined;
      });
    },
  });
