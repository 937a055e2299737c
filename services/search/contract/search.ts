import { code, currency, id, name, operations, page, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { DocumentId, DocumentType } from './documents.ts';

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

const description =
  'Finds documents that contain every word of the query, or a word that starts with it, regardless of case and accents. Documents whose e-mail address, phone number or full name equals the query come first. Among the others, matches in names and addresses rank above matches in companies, and those rank above matches in other fields. When more than 100 documents match, they are ranked in blocks of 100. Results are limited to the first 10,000 documents, and `total` never exceeds 10,000; `pagination.totalIsEstimate` is true if not all matches were counted. You also need permission to read the records; only records that it covers are returned.';

const searchQuery = z.object({
  q: name(200).meta({ description: 'The words to search for', examples: ['lovelace'] }),
  page: wholeNumber(1, 100_000).describe('The page number, starting at 1').default(1),
  limit: wholeNumber(1, 100).describe('The maximum number of records per page').default(20),
  typo: z
    .enum(['auto', 'off'])
    .describe(
      'The tolerance for typos: `auto` accepts one typo in each word of four or more letters, `off` accepts none. The default is `auto`, unless the active addon Advanced Search sets `typoTolerance` to false',
    )
    .optional(),
});

const number = () => {
  const error = 'Must be a number of at least 0';
  return z.codec(z.string({ error }).regex(/^\d{1,12}(\.\d{1,4})?$/, { error }), z.number(), {
    decode: Number,
    encode: String,
  });
};

const found = { reply: page(SearchHit), message: 'Search results retrieved' } as const;

export const searches = operations({
  searchLeads: {
    method: 'GET',
    path: '/v1/search/leads',
    permission: 'search:read',
    summary: 'Search leads',
    description,
    query: searchQuery.extend({
      status: code()
        .meta({ description: 'Return only leads with this status', examples: ['new'] })
        .optional(),
      source: code()
        .meta({ description: 'Return only leads from this source', examples: ['web'] })
        .optional(),
      assignedTo: id('user').describe('Return only leads that are assigned to this user').optional(),
      minScore: number().describe('Return only leads with this score or a higher one').optional(),
      createdFrom: timestamp().describe('Return only records created at this time or later').optional(),
      createdTo: timestamp().describe('Return only records created at this time or earlier').optional(),
    }),
    ...found,
  },
  searchOpportunities: {
    method: 'GET',
    path: '/v1/search/opportunities',
    permission: 'search:read',
    summary: 'Search opportunities',
    description,
    query: searchQuery.extend({
      stage: code()
        .meta({ description: 'Return only opportunities in this stage', examples: ['proposal'] })
        .optional(),
      minValue: number()
        .describe('Return only opportunities with this value or a higher one, in any currency')
        .optional(),
      maxValue: number()
        .describe('Return only opportunities with this value or a lower one, in any currency')
        .optional(),
      currency: currency().optional(),
    }),
    ...found,
  },
  searchPartners: {
    method: 'GET',
    path: '/v1/search/partners',
    permission: 'search:read',
    summary: 'Search partners',
    description,
    query: searchQuery.extend({
      tier: code()
        .meta({ description: 'Return only partners of this tier', examples: ['gold'] })
        .optional(),
      status: code()
        .meta({ description: 'Return only partners with this status', examples: ['approved'] })
        .optional(),
    }),
    ...found,
  },
  autocomplete: {
    method: 'GET',
    path: '/v1/search/autocomplete',
    permission: 'search:read',
    summary: 'Suggest documents',
    description:
      'Suggestions that start with the typed words come first, followed by suggestions with one typo. Only documents that the caller can read are returned.',
    query: z.object({
      q: text(200)
        .meta({
          description: 'The text typed so far; fewer than two characters return no suggestions',
          examples: ['lov'],
        })
        .default(''),
      type: DocumentType.describe('Return only suggestions of this type').optional(),
      limit: wholeNumber(1, 20).describe('The maximum number of suggestions').default(8),
    }),
    reply: z.array(Suggestion),
    message: 'Suggestions retrieved',
  },
});
