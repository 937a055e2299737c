import { code, currency, flag, id, name, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';

export const searchModes = ['keyword', 'semantic', 'hybrid'] as const;

/** The fields of each type by which results are sorted, filtered and counted. */
export const searchFields = {
  lead: { sorts: ['createdAt', 'score', 'name'], facets: ['status', 'source', 'assignedTo'] },
  opportunity: { sorts: ['createdAt', 'value', 'name'], facets: ['stage', 'currency'] },
  partner: { sorts: ['createdAt', 'name'], facets: ['tier', 'status'] },
} as const;

const q = name(200).meta({
  description: 'The words to search for, at most ten; of more, the first ten are searched for',
  examples: ['lovelace'],
});
const typo = z
  .enum(['auto', 'off'])
  .describe(
    'The tolerance for typos: `auto` accepts one typo in each word of four or more letters, `off` accepts none. The default is `auto`, unless the active addon Advanced Search sets `typoTolerance` to false',
  )
  .optional();
const mode = z
  .enum(searchModes)
  .describe('`keyword` finds documents with every word, `semantic` similar ones, and `hybrid` both in one order')
  .default('hybrid');
const ratioText =
  'The weight of similarity in a hybrid search, from 0 to 1; that of the words is the rest. With 0 the words alone decide';
const ratioError = 'Must be a number from 0 to 1';
const ratioDefault = 0.3;
const explainText = 'Whether each result explains its position';
const sortText =
  'The order: `relevance`, or a field; a leading minus sorts in descending order. Documents without the field come last';
const facetsText = 'Fields whose values are counted among all matches, up to 10,000 of them';

const [yearMin, yearMax] = [1900, 9999];

/** A time that results are filtered by. Other years are mistakes of programs, such as the year 1 for an empty value. */
export const SearchTime = timestamp().refine(
  (time) => time.getUTCFullYear() >= yearMin && time.getUTCFullYear() <= yearMax,
  `Must be a time from ${yearMin} to ${yearMax}`,
);

/** A number in a query: digits on the wire. */
export function amountParameter() {
  const error = 'Must be a number of at least 0';
  return numberParameter(/^\d{1,12}(\.\d{1,4})?$/, error);
}

/** A share in a query, with as many decimals as a program may write. */
function ratioParameter() {
  return numberParameter(/^[01](\.\d{1,20})?$/, ratioError, 1);
}

function numberParameter(form: RegExp, error: string, max = Number.POSITIVE_INFINITY) {
  const wire = z.string({ error }).regex(form, { error });
  return z.codec(wire, z.number().max(max, { error }), { decode: Number, encode: String });
}

function sortOf(sorts: readonly string[]) {
  const names = ['relevance', ...sorts.flatMap((field) => [field, `-${field}`])];
  return z
    .enum(names as [string, ...string[]], { error: `Must be one of ${names.join(', ')}` })
    .meta({ description: sortText })
    .default('relevance');
}

function facetsOf(fields: readonly string[]) {
  const error = `Must be fields separated by commas: ${fields.join(', ')}`;
  const isKnown = (list: string) => list.split(',').every((field) => fields.includes(field));
  return z
    .codec(z.string({ error }).max(200, { error }).refine(isKnown, { error }), z.array(z.string()), {
      decode: (list) => [...new Set(list.split(','))],
      encode: (list) => list.join(','),
    })
    .describe(`${facetsText}, separated by commas: ${fields.join(', ')}`)
    .optional();
}

/** The query of a search of one type, without its filters. */
export function searchQuery(type: keyof typeof searchFields) {
  const { sorts, facets } = searchFields[type];
  return z.object({
    q,
    page: wholeNumber(1, 100_000).describe('The page number, starting at 1').default(1),
    limit: wholeNumber(1, 100).describe('The maximum number of records per page').default(20),
    typo,
    mode,
    semanticRatio: ratioParameter().describe(ratioText).default(ratioDefault),
    sort: sortOf(sorts),
    facets: facetsOf(facets),
    explain: flag().describe(explainText).default(false),
  });
}

const allSorts = [...new Set(Object.values(searchFields).flatMap(({ sorts }) => [...sorts]))];
const allFacets = [...new Set(Object.values(searchFields).flatMap(({ facets }) => [...facets]))];

/** The same options in a body. Which fields a type has is checked by the handler. */
export const searchBody = {
  q,
  page: z.int().min(1).max(100_000).describe('The page number, starting at 1').default(1),
  limit: z.int().min(1).max(100).describe('The maximum number of records per page').default(20),
  typo,
  mode,
  semanticRatio: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: ratioText, examples: [0.3] })
    .default(ratioDefault),
  sort: sortOf(allSorts),
  facets: z
    .array(z.enum(allFacets))
    .max(allFacets.length)
    .meta({ description: facetsText, examples: [['status']] })
    .optional(),
  explain: z.boolean().describe(explainText).default(false),
};

/** The options of a search in all types. */
export const federatedQuery = searchQuery('lead').pick({
  q: true,
  page: true,
  limit: true,
  typo: true,
  mode: true,
  semanticRatio: true,
  explain: true,
});

export const leadFilters = {
  status: code()
    .meta({ description: 'Return only leads with this status', examples: ['new'] })
    .optional(),
  source: code()
    .meta({ description: 'Return only leads from this source', examples: ['web'] })
    .optional(),
  assignedTo: id('user').describe('Return only leads that are assigned to this user').optional(),
  minScore: amountParameter().describe('Return only leads with this score or a higher one').optional(),
  createdFrom: SearchTime.describe('Return only records created at this time or later').optional(),
  createdTo: SearchTime.describe('Return only records created at this time or earlier').optional(),
};

export const opportunityFilters = {
  stage: code()
    .meta({ description: 'Return only opportunities in this stage', examples: ['proposal'] })
    .optional(),
  minValue: amountParameter()
    .describe('Return only opportunities with this value or a higher one, in any currency')
    .optional(),
  maxValue: amountParameter()
    .describe('Return only opportunities with this value or a lower one, in any currency')
    .optional(),
  currency: currency().optional(),
};

export const partnerFilters = {
  tier: code()
    .meta({ description: 'Return only partners of this tier', examples: ['gold'] })
    .optional(),
  status: code()
    .meta({ description: 'Return only partners with this status', examples: ['approved'] })
    .optional(),
};
