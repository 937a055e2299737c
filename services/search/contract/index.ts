// Operations of the search service: indexing documents, searching them by words, and suggestions.
import { personalDataOperations } from '@tandem/contract';
import { documents } from './documents.ts';
import { internalSearch } from './internal.ts';
import { searches } from './search.ts';

export * from './documents.ts';
export * from './hit.ts';
export * from './internal.ts';
export * from './search.ts';
export * from './search-filter.ts';
export { searchFields, searchModes } from './search-options.ts';

export const search = { ...documents, ...searches, ...internalSearch, ...personalDataOperations };
