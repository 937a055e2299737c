import { id } from '@tandem/contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { backgroundJobs } from '@tandem/service';
import { z } from 'zod';
import { recordTypes } from '../../driver/document.ts';
import {
  abandonBuilds,
  type Build,
  buildPage,
  buildsOf,
  copyOwnPage,
  dropPart,
  swapBuilds,
} from '../../driver/postgres/builds.ts';
import { pairDocumentsJob } from '../../driver/postgres/duplicate-checks.ts';
import type { Tools, Tx } from '../../handler.ts';
import { readRecords } from '../documents/read-records.ts';
import { wakeEmbedding } from '../embeddings/state.ts';
import { isServerBehind } from '../search-engine/engine.ts';

export const searchJobs = backgroundJobs('search');

/** The job that builds new indexes and makes them the live ones. */
export const buildIndexJob = { name: 'build-index', payload: z.object({ jobId: id('job') }) };
/** The job that deletes an index that is no longer searched. */
export const dropIndexJob = {
  name: 'drop-index',
  payload: z.object({ type: z.enum(recordTypes), generation: z.int() }),
};

// Searches that began in the old index end long before.
const dropDelayMs = 120_000;
// The job that sends documents to OpenSearch runs as often.
const behindPauseMs = 1_000;

type Payload = z.output<typeof buildIndexJob.payload>;

/** One page a run: the position is stored with the page, so that a run after a crash continues there. */
export const buildIndex = (tools: Tools) =>
  job({
    ...buildIndexJob,
    lane: 'builds',
    rests: true,
    async run({ payload: { jobId }, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const builds = await buildsOf(tx, jobId);
      if (!builds.length) return;
      const build = builds.find(({ step }) => step !== 'done');
      const read = builds.reduce((sum, one) => sum + one.read, 0);
      if (!build) {
        if (await isServerBehind(tx, Math.max(...builds.map(({ after }) => after)))) {
          await finish(async () => new Date(Date.now() + behindPauseMs));
          return;
        }
        await finish(async ({ tx: inside, schedule }) => {
          await swapBuilds(inside, jobId);
          const types = builds.map(({ type, read: documents }) => ({ type, documents }));
          await searchJobs.complete(inside.sql, jobId, { result: { types }, total: read });
          const dropped = builds.map(({ type, live }) => ({ type, generation: live }));
          await schedule(dropIndexJob, dropped, new Date(Date.now() + dropDelayMs));
          // Compares the documents that the old index had not, or with other fields.
          await schedule(pairDocumentsJob, [{}]);
        });
        return;
      }
      const as = { ...scope, requestId: `reindex_${jobId}` };
      const page =
        build.step === 'records'
          ? await outside(() => readRecords(tools, { type: build.type, after: build.after || null, as }))
          : undefined;
      await finish(async ({ tx: inside, schedule }) => {
        if (page) await buildPage(inside, build, page);
        else await copyOwnPage(inside, build);
        const done = read + (page?.writings.length ?? 0);
        await searchJobs.progress(inside.sql, jobId, { done, total: 0 });
        await wakeEmbedding({ tx: inside, schedule }, tools.embedding?.name);
        return new Date();
      });
    },
    async giveUp({ payload: { jobId }, tx, schedule }: GiveUpContext<Payload, Tx>) {
      const builds = await abandonBuilds(tx, jobId);
      const message = 'The index could not be built; the previous one is still used';
      await searchJobs.fail(tx.sql, jobId, { code: 'unavailable', message });
      await schedule(
        dropIndexJob,
        builds.map(({ type, building }: Build) => ({ type, generation: building })),
      );
    },
  });

export const dropIndex = job({
  ...dropIndexJob,
  lane: 'builds',
  rests: true,
  async run({ payload: { type, generation }, finish }: JobContext<z.output<typeof dropIndexJob.payload>, Tx>) {
    await finish(async ({ tx }) => ((await dropPart(tx, type, generation)) ? new Date() : undefined));
  },
});
