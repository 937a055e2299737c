import { localDimensions } from '../../embedding/local.ts';
import { textFacets, valueFacets } from '../../fields.ts';

const keyword = { type: 'keyword' };
// Only searched, never counted or sorted by.
const term = { type: 'keyword', doc_values: false };

/** The weights that a field of a document may have, and with them its words. */
export const wordWeights = [4, 2, 1] as const;

/** The field with the words of a weight. */
export function wordField(weight: number): string {
  return `words${weight}`;
}

/**
 * The index, for all tenants and types. It has no text of documents beside their words: results are read from
 * PostgreSQL. The terms are those of the table `posting`.
 */
export const mapping = {
  settings: { index: { knn: true } },
  mappings: {
    dynamic: 'strict',
    // A document is written from its row again and never read from here.
    _source: { enabled: false },
    _routing: { required: true },
    properties: {
      tenant: keyword,
      environment: keyword,
      index: keyword,
      key: { type: 'long' },
      version: { type: 'long' },
      terms: term,
      ...Object.fromEntries(wordWeights.map((weight) => [wordField(weight), term])),
      ...Object.fromEntries(textFacets.map((field) => [field, keyword])),
      ...Object.fromEntries(valueFacets.map((field) => [field, { type: 'double' }])),
      createdAt: { type: 'date' },
      name: keyword,
      vector: {
        type: 'knn_vector',
        dimension: localDimensions,
        data_type: 'byte',
        method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
      },
    },
  },
} as const;
