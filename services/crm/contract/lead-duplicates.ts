import { event, id, listQuery, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const duplicateReasons = [
  'email',
  'email_variant',
  'phone',
  'name',
  'name_swapped',
  'name_initials',
  'name_similar',
  'email_domain_and_name',
] as const;

export const DuplicateStatus = z
  .enum(['open', 'dismissed', 'merged'])
  .describe('The decision about the pair; `open` until a decision is made');

export const DuplicatePair = z.object({
  id: id('duplicate_pair'),
  leadIds: z.array(id('lead')).length(2).describe('The two leads'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'The confidence of the match, from 0 to 1', examples: [1] }),
  matchedOn: z
    .array(z.enum(duplicateReasons))
    .meta({ description: 'What the two leads have in common', examples: [['email', 'name']] }),
  status: DuplicateStatus,
  decidedBy: id('user').nullable().describe('The user who dismissed the pair'),
  decidedAt: timestamp()
    .nullable()
    .meta({ description: 'When the pair was dismissed or merged', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
});

export const duplicatePairDismissed = event('duplicate_pair.dismissed', {
  description: 'Two leads are declared to be different persons',
  action: 'duplicate_pair.dismiss',
  target: 'duplicate_pair',
  data: z.object({ duplicatePairId: id('duplicate_pair'), leadIds: z.array(id('lead')).length(2) }),
  record: DuplicatePair,
});

const query = listQuery(['createdAt', 'confidence'])
  .omit({ search: true })
  .extend({
    minConfidence: z
      .codec(z.string().regex(/^[0-9.]{1,6}$/, 'Must be a number from 0 to 1'), z.number().min(0).max(1), {
        decode: Number,
        encode: String,
      })
      .describe('Return only pairs with this confidence or a higher one')
      .optional(),
    status: DuplicateStatus.optional(),
  });

const scoring =
  '`confidence` combines what the two leads have in common, and what speaks against it. The same address (`email`) is 1, whatever else differs. The same number (`phone`) is 0.95, but 0.7 if the names are those of two people. Addresses that differ by a +tag, or by dots that the provider ignores (`email_variant`), are 0.75 to 0.9. So are those that differ by other dots unless the names are those of two people, and those that differ by one typo if the names match or one of them is unknown; another letter that can make another name, as in tim@ and tom@, is at most 0.6 without names. A name alone is at most 0.6: the same name ignoring case and accents (`name`), first and last name exchanged (`name_swapped`), an initial for the first name (`name_initials`), or a nickname or a small difference in spelling (`name_similar`). With an equal domain of a company in both addresses a name is up to 0.9 (`email_domain_and_name`), but at most 0.65 if the company gave the addresses to two people. From 0.95 a pair is certain, from 0.75 likely, and below possible; POST /v1/search/duplicates has the same scores.';

export const leadDuplicates = operations({
  listLeadDuplicates: {
    method: 'GET',
    path: '/v1/leads/duplicates',
    permission: 'leads:read',
    narrows: true,
    summary: 'List possible duplicates',
    description: `${scoring} Pairs are detected after a lead is created, restored or updated, and removed when the two leads no longer have anything in common. A dismissed pair opens again only when a change of one of its leads raises the confidence. The list contains only pairs of leads that the caller can both read.`,
    query,
    reply: page(DuplicatePair),
    message: 'Duplicates retrieved',
  },
  getLeadDuplicates: {
    method: 'GET',
    path: '/v1/leads/:id/duplicates',
    permission: 'leads:read',
    narrows: true,
    summary: 'List the possible duplicates of a lead',
    description: 'Returns the pairs of GET /v1/leads/duplicates that the lead belongs to.',
    params: z.object({ id: id('lead') }),
    query,
    reply: page(DuplicatePair),
    message: 'Duplicates retrieved',
  },
  dismissDuplicate: {
    method: 'POST',
    path: '/v1/leads/duplicates/:pairId/dismiss',
    permission: 'leads:write',
    narrows: true,
    summary: 'Dismiss a possible duplicate',
    description:
      'Declares that the two leads are different persons. The pair opens again when a change of one of them raises the confidence.',
    params: z.object({ pairId: id('duplicate_pair') }),
    reply: DuplicatePair,
    message: 'Duplicate dismissed',
    emits: [duplicatePairDismissed],
    errors: { pair_decided: [409, 'The pair is not open'] },
  },
});
