// The driver that keeps the index in the service's own database.
import type { SearchDriver } from '../driver.ts';
import { findDocuments, suggestDocuments } from './find.ts';
import { writeDocuments } from './write-documents.ts';

export { reindexDocuments } from './reindex-documents.job.ts';

export const postgresDriver: SearchDriver = {
  write: writeDocuments,
  find: findDocuments,
  suggest: suggestDocuments,
};
