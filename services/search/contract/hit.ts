import { z } from 'zod';
import { DocumentId, DocumentType } from './documents.ts';

const rank = z
  .int()
  .min(1)
  .meta({ description: 'The position in this arm, from 1', examples: [1] });

/** Why a document is where it is in the results. */
export const Explanation = z.object({
  pinned: z.boolean().describe('Whether an e-mail address, phone number or full name equals the query'),
  fusedScore: z.number().meta({ description: 'The score by which the document is ranked', examples: [0.7] }),
  keyword: z
    .object({
      rank,
      score: z.number().meta({ description: 'How well the words match, from 0 to 1', examples: [0.82] }),
    })
    .nullable()
    .describe('The position by words; null if the document does not have all of them'),
  semantic: z
    .object({
      rank,
      similarity: z.number().meta({
        description: 'The cosine similarity between the vectors of the query and of the document, at least 0.35',
        examples: [0.61],
      }),
      model: z.string().meta({
        description:
          'The model that made the vectors: the one of the configured AI provider with its dimensions, or `local-1`, which needs no provider',
        examples: ['local-1'],
      }),
    })
    .nullable()
    .describe('The position by similarity; null if it is not similar enough'),
  terms: z
    .array(
      z.object({
        word: z.string().meta({ description: 'The word of the query', examples: ['lovelace'] }),
        term: z.string().meta({ description: 'The word of the document', examples: ['lovelace'] }),
        weight: z.int().meta({
          description:
            'The weight of the best field with the word: 4 for names, addresses and phones, 2 for companies, else 1',
          examples: [4],
        }),
        strength: z.number().meta({
          description:
            'What the match counts, from 0 to 1: less in a field of less weight, for a prefix, and for a typo',
          examples: [1],
        }),
        idf: z
          .number()
          .nullable()
          .meta({
            description:
              'The inverse document frequency of the word: rare words count more. Null for callers who see only some of the documents',
            examples: [5.3],
          }),
        documents: z
          .int()
          .nullable()
          .meta({
            description:
              'How many documents have the word, counted up to 100,000. Null for callers who see only some of the documents',
            examples: [12],
          }),
      }),
    )
    .describe('The words of the query that the document has'),
});

export const SearchHit = z.object({
  type: DocumentType,
  id: DocumentId,
  score: z
    .number()
    .min(0)
    .max(1)
    .meta({
      description:
        'The relevance of the document, from 0 to 1; 1 means that an e-mail address, phone number or full name equals the query',
      examples: [0.82],
    }),
  document: z.record(z.string(), z.unknown()).meta({
    description: 'The fields of the document',
    examples: [{ firstName: 'Ada', lastName: 'Lovelace', company: 'Analytical Engines' }],
  }),
  highlights: z.record(z.string(), z.string()).meta({
    description:
      'The matching fields as HTML with matches in `<em>`. A long text is shortened to the 500 characters around the first match.',
    examples: [{ lastName: '<em>Lovelace</em>' }],
  }),
  matchedOn: z.array(z.string()).meta({ description: 'The names of the matching fields', examples: [['lastName']] }),
  explain: Explanation.optional().describe('Why the document is at this position; only with `explain`'),
});

export const Suggestion = z.object({
  type: DocumentType,
  id: DocumentId,
  text: z.string().meta({
    description: 'The suggested text. A long text is shortened to the 500 characters around the match.',
    examples: ['Ada Lovelace'],
  }),
  highlight: z
    .string()
    .meta({ description: 'The text as HTML with the match in `<em>`', examples: ['Ada <em>Lov</em>elace'] }),
  field: z.string().meta({ description: 'The name of the field that contains the text', examples: ['name'] }),
});
