import { facetedPage, name, operations, text, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { DocumentType, documentTypes } from './documents.ts';
import { SearchHit, Suggestion } from './hit.ts';
import { SearchFilter } from './search-filter.ts';
import {
  federatedQuery,
  leadFilters,
  opportunityFilters,
  partnerFilters,
  searchBody,
  searchQuery,
} from './search-options.ts';

/** The segment of a path for each type. */
export const searchPaths = ['leads', 'opportunities', 'partners'] as const;

const description =
  'A `keyword` search finds documents that contain every word of the query, or a word that starts with it, regardless of case and accents. Matches in names and addresses rank above matches in companies, and those rank above matches in other fields; rare words count more. A `semantic` search finds at most 200 documents whose vectors are similar to that of the query. The default, `hybrid`, ranks both together: the first 200 documents of each by reciprocal rank fusion, and then the rest of those with every word. Documents whose e-mail address, phone number or full name equals the query come first. Results are limited to the first 10,000 documents, and `total` never exceeds 10,000; `pagination.totalIsEstimate` is true if not all matches were counted. You also need permission to read the records; only records that it covers are returned.';

const found = { reply: facetedPage(SearchHit), message: 'Search results retrieved' } as const;

export const searches = operations({
  searchLeads: {
    method: 'GET',
    path: '/v1/search/leads',
    permission: 'search:read',
    summary: 'Search leads',
    description,
    query: searchQuery('lead').extend(leadFilters),
    ...found,
  },
  searchOpportunities: {
    method: 'GET',
    path: '/v1/search/opportunities',
    permission: 'search:read',
    summary: 'Search opportunities',
    description,
    query: searchQuery('opportunity').extend(opportunityFilters),
    ...found,
  },
  searchPartners: {
    method: 'GET',
    path: '/v1/search/partners',
    permission: 'search:read',
    summary: 'Search partners',
    description,
    query: searchQuery('partner').extend(partnerFilters),
    ...found,
  },
  searchDocuments: {
    method: 'POST',
    path: '/v1/search/:type',
    permission: 'search:read',
    checksPermissions: true,
    summary: 'Search documents of one type with a structured filter',
    description: `${description} The filter combines comparisons of the fields that the type can be filtered by: leads by status, source, assignedTo, score and createdAt, opportunities by stage, currency, value and createdAt, partners by tier, status and createdAt.`,
    params: z.object({
      type: z.enum(searchPaths).meta({ description: 'The type of the documents', examples: ['leads'] }),
    }),
    body: z.object({ ...searchBody, filter: SearchFilter.optional().describe('Which documents are searched') }),
    ...found,
    emits: [],
  },
  searchAll: {
    method: 'GET',
    path: '/v1/search',
    permission: 'search:read',
    summary: 'Search all types',
    description:
      'Searches leads, opportunities and partners at once, as far as the caller may read them. Documents of one type have the order of its search; those of different types are compared by their ranks, by words and by similarity. `facets.type` has the number of matches of each type; the first 1,000 results can be paged through.',
    query: federatedQuery.extend({
      types: DocumentTypes().optional(),
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
      field: name(64)
        .meta({
          description:
            'Return only suggestions of this field, such as `company` or `email`; `name` is the name of a person',
          examples: ['company'],
        })
        .optional(),
      limit: wholeNumber(1, 20).describe('The maximum number of suggestions').default(8),
    }),
    reply: z.array(Suggestion),
    message: 'Suggestions retrieved',
  },
});

/** Types in one parameter, separated by commas. */
function DocumentTypes() {
  const error = `Must be types separated by commas: ${documentTypes.join(', ')}`;
  const isType = (one: string): one is (typeof documentTypes)[number] => documentTypes.some((type) => type === one);
  return z
    .codec(
      z.string({ error }).refine((list) => list.split(',').every(isType), { error }),
      z.array(DocumentType),
      { decode: (list) => [...new Set(list.split(','))].filter(isType), encode: (types) => types.join(',') },
    )
    .describe(`Search only these types, separated by commas: ${documentTypes.join(', ')}`);
}
