import { documentTypes, type reindexes } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import { beginBuilds } from '../../driver/postgres/builds.ts';
import type { Handler } from '../../handler.ts';
import { buildIndexJob, searchJobs } from './build-index.job.ts';

/** Builds new indexes beside the live ones. */
export const reindex: Handler<typeof reindexes.reindex> = async ({ body, caller, tx, schedule }) => {
  const types = documentTypes.filter((type) => body.types?.includes(type) ?? true);
  const start = { kind: 'search_reindex', permission: 'search:manage', caller, input: { types } };
  const job = await searchJobs.start(tx.sql, start);
  const running = await beginBuilds(tx, job.jobId, types);
  if (running.length)
    throw fail('reindex_running', [{ field: 'types', message: `Already being rebuilt: ${running.join(', ')}` }]);
  await schedule(buildIndexJob, [{ jobId: job.jobId }]);
  return job;
};
