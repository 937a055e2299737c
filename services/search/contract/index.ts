// What search offers: a place for documents, finding them by words, and suggestions while somebody types.
import { documents } from './documents.ts';
import { internalSearch } from './internal.ts';
import { searches } from './search.ts';

export * from './documents.ts';
export * from './internal.ts';
export * from './search.ts';

export const search = { ...documents, ...searches, ...internalSearch };
