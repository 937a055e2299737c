// Operations of the search service: indexing documents, searching them by words, and suggestions.
import { jobOperations, personalDataOperations } from '@tandem/contract';
import { documents } from './documents.ts';
import { duplicates } from './duplicates.ts';
import { internalSearch } from './internal.ts';
import { reindexes } from './reindex.ts';
import { searches } from './search.ts';
import { internalSearchEngine } from './search-engine.ts';

export * from './documents.ts';
export * from './duplicates.ts';
export * from './hit.ts';
export * from './internal.ts';
export * from './reindex.ts';
export * from './search.ts';
export * from './search-engine.ts';
export * from './search-filter.ts';
export { SearchTime, searchFields, searchModes } from './search-options.ts';

export const search = {
  ...documents,
  ...duplicates,
  ...searches,
  ...reindexes,
  ...jobOperations,
  ...internalSearch,
  ...internalSearchEngine,
  ...personalDataOperations,
};
