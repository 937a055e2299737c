// The driver that keeps the index in the service's own database.
import type { SearchDriver } from '../driver.ts';
import { matchDocuments, suggestDocuments, wholeDocuments } from './find.ts';
import { liveIndex } from './generations.ts';
import { countFacets, sortedDocuments } from './order.ts';
import { readQuestion } from './question.ts';
import { similarDocuments } from './similar.ts';
import { documentsWithTerms } from './with-terms.ts';
import { documentsWithWords, raritiesOf, wordsOfDocuments } from './words.ts';
import { writeDocuments } from './write-documents.ts';

export { reindexDocuments } from './reindex-documents.job.ts';

export const postgresDriver: SearchDriver = {
  write: writeDocuments,
  index: liveIndex,
  read: readQuestion,
  match: matchDocuments,
  wholes: wholeDocuments,
  matching: documentsWithWords,
  rarities: raritiesOf,
  words: wordsOfDocuments,
  similar: similarDocuments,
  sorted: sortedDocuments,
  facets: countFacets,
  withTerms: documentsWithTerms,
  suggest: suggestDocuments,
};
