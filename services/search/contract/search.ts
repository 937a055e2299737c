import { code, currency, id, name, operations, page, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { DocumentId, DocumentType } from './documents.ts';

export const SearchHit = z.object({
  type: DocumentType,
  id: DocumentId,
  /** How well it matches, from 0 to 1; 1 is the very e-mail address, phone number or full name. */
  score: z.number().min(0).max(1),
  document: z.record(z.string(), z.unknown()),
  /** Field → its text as HTML, with what was looked for in `<em>`; of a long text the 500 characters around the first find. */
  highlights: z.record(z.string(), z.string()),
  /** The fields in which something was found. */
  matchedOn: z.array(z.string()),
});

export const Suggestion = z.object({
  type: DocumentType,
  id: DocumentId,
  /** Of a long one the 500 characters around what was typed. */
  text: z.string(),
  /** The text as HTML, with what was typed in `<em>`. */
  highlight: z.string(),
  field: z.string(),
});

const description =
  'Finds documents that have all words, also as beginnings of words, in any case and without accents. What equals an e-mail address, phone number or full name comes first; then names and addresses count more than companies, and those more than the rest. Of what a very common word finds, 1,000 documents are ranked and counted: `total` is at most that. It takes the permission to read such records as well, and finds those that it reaches.';

const searchQuery = z.object({
  q: name(200).describe('What to look for'),
  page: wholeNumber(1, 100_000).describe('Which page, from 1 on').default(1),
  limit: wholeNumber(1, 100).describe('How many documents a page has').default(20),
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
      'What begins with the words first, then what does so but for one typing error. Suggests what the caller may read.',
    query: z.object({
      q: text(200).describe('What was typed so far; of fewer than two characters nothing is suggested').default(''),
      type: DocumentType.optional(),
      limit: wholeNumber(1, 20).describe('How many suggestions').default(8),
    }),
    reply: z.array(Suggestion),
    message: 'Suggestions retrieved',
  },
});
