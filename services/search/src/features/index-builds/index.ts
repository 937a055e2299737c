import type { jobOperations } from '@tandem/contract';
import type { reindexes } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { searchJobs } from './build-index.job.ts';
import { getReindex } from './get-reindex.ts';
import { reindex } from './reindex.ts';

export const indexBuildHandlers = {
  reindex,
  getReindex,
  getJob: searchJobs.getJob(),
} satisfies Handlers<typeof reindexes & typeof jobOperations, Tx>;
