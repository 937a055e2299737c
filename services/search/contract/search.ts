import { code, currency, id, name, operations, page, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { DocumentId, DocumentType } from './documents.ts';

export const SearchHit = z.object({
  type: DocumentType,
  id: DocumentId,
  /** How well it matches, from 0 to 1. It is 1 when an e-mail address, phone number or full name equals `q`. */
  score: z.number().min(0).max(1),
  document: z.record(z.string(), z.unknown()),
  /** Text of each matching field as HTML, with matches in `<em>`; of a long text, the 500 characters around the first match. */
  highlights: z.record(z.string(), z.string()),
  /** The fields that match. */
  matchedOn: z.array(z.string()),
});

export const Suggestion = z.object({
  type: DocumentType,
  id: DocumentId,
  /** The text that matches; of a long one, the 500 characters around the first match. */
  text: z.string(),
  /** The text as HTML, with matches in `<em>`. */
  highlight: z.string(),
  field: z.string(),
});

const description =
  'Finds documents that have all words, also as beginnings of words, in any case and without accents. A document whose e-mail address, phone number or full name equals `q` comes first; then matches in names and addresses count more than those in companies, and those more than the rest. When more than 100 documents match, they are ranked in blocks of 100. Pages reach 10,000 documents deep; `pagination.totalIsEstimate` is true when not all matches were counted. The caller needs the permission to read such records as well, and finds the ones within its reach.';

const searchQuery = z.object({
  q: name(200).describe('What to look for'),
  page: wholeNumber(1, 100_000).describe('Page number, from 1').default(1),
  limit: wholeNumber(1, 100).describe('Documents per page').default(20),
  typo: z
    .enum(['auto', 'off'], { error: 'Must be one of auto, off' })
    .describe('auto forgives one typing error in each word of four or more letters')
    .default('auto'),
});

const number = () => {
  const error = 'Must be a number that is not negative';
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
      status: code().optional(),
      source: code().optional(),
      assignedTo: id('user').optional(),
      minScore: number().optional(),
      createdFrom: timestamp().optional(),
      createdTo: timestamp().optional(),
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
      stage: code().optional(),
      minValue: number().optional(),
      maxValue: number().optional(),
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
    query: searchQuery.extend({ tier: code().optional(), status: code().optional() }),
    ...found,
  },
  autocomplete: {
    method: 'GET',
    path: '/v1/search/autocomplete',
    permission: 'search:read',
    summary: 'Suggest documents while somebody types',
    description:
      'Documents with words that begin with the typed ones come first, then those with one typing error. Suggests only documents that the caller may read.',
    query: z.object({
      q: text(200).describe('The text typed so far; fewer than two characters have no suggestions').default(''),
      type: DocumentType.optional(),
      limit: wholeNumber(1, 20).describe('Largest number of suggestions').default(8),
    }),
    reply: z.array(Suggestion),
    message: 'Suggestions retrieved',
  },
});
