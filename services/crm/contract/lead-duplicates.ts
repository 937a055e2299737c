import { id, listQuery, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';

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
  matchedOn: z.array(z.enum(['email', 'phone', 'name'])).describe('The fields that the two leads have in common'),
  status: DuplicateStatus,
  createdAt: timestamp(),
});

export const leadDuplicates = operations({
  listLeadDuplicates: {
    method: 'GET',
    path: '/v1/leads/duplicates',
    permission: 'leads:read',
    narrows: true,
    summary: 'List possible duplicates',
    description:
      'Returns pairs of leads that share an e-mail address (confidence 1), a phone number (0.8), an address that differs only by a +tag or by dots that the provider ignores (0.75), or a full name, ignoring case and accents (0.5). Pairs are detected after a lead is created, restored or updated, and removed when the two leads no longer have anything in common. The list contains only pairs of leads that the caller can both read.',
    query: listQuery(['createdAt', 'confidence'])
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
      }),
    reply: page(DuplicatePair),
    message: 'Duplicates retrieved',
  },
});
