import type { reindexes } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { searchJobs } from './build-index.job.ts';

export const getReindex: Handler<typeof reindexes.getReindex> = async ({ params, tx, caller }) => {
  const found = await searchJobs.findReadable(tx.sql, params.jobId, caller);
  if (found?.kind !== 'search_reindex') throw fail('not_found');
  return found;
};
