import { operations } from '@tandem/contract';
import { z } from 'zod';
import { DocumentData, DocumentId } from './documents.ts';

export const duplicateTypes = ['lead', 'account', 'partner'] as const;
export const duplicateLevels = ['exact', 'likely', 'possible'] as const;
const signalFields = ['email', 'phone', 'name', 'company', 'domain', 'city'] as const;

const DuplicateType = z
  .enum(duplicateTypes, { error: `Must be one of ${duplicateTypes.join(', ')}` })
  .meta({ description: 'The type of the records', examples: ['lead'] });
const DuplicateScore = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'How likely it is the same record, from 0 to 1', examples: [0.95] });
const DuplicateLevel = z
  .enum(duplicateLevels)
  .meta({ description: '`exact` from 0.95, `likely` from 0.75, `possible` below', examples: ['exact'] });

/** One compared field of two records. */
export const DuplicateSignal = z.object({
  field: z.enum(signalFields).meta({ description: 'The compared field', examples: ['phone'] }),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'From 0 to 1', examples: [1] }),
  matched: z.boolean().describe('Whether it speaks for the same record'),
});

const scoring =
  'An equal e-mail address scores 1, and an equal phone number 0.95, or 0.7 if the names are those of two people or companies. Addresses that differ by a +tag, by dots or by a typo are likely, never exact. A name alone is at most 0.6; with the company, its domain or its city it is more. Domains of public mail providers are no companies, and legal forms do not count in the name of a company. Different numbers in names, addresses of two people at one company, and a holding with its subsidiary lower the score.';

export const duplicates = operations({
  findDuplicates: {
    method: 'POST',
    path: '/v1/search/duplicates',
    permission: 'search:read',
    checksPermissions: true,
    summary: 'Find possible duplicates of a record',
    description: `Compares a record with the others of its type and returns those that are likely the same person, account or partner, the most similar first. ${scoring} Only records that the caller may read are returned, and never the record itself. Of each kind of match at most the 50 newest records are compared.`,
    body: z.object({
      type: DuplicateType,
      id: DocumentId.describe('The id of the record to compare').optional(),
      data: DocumentData.meta({
        description:
          'The fields of a record that need not exist: email, phone, firstName, lastName and company of a lead or partner; name, domain, website, phone and address of an account',
        examples: [{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' }],
      }).optional(),
      threshold: z
        .number()
        .min(0)
        .max(1)
        .meta({ description: 'Return only duplicates with this score or a higher one', examples: [0.75] })
        .default(0.75),
      limit: z.int().min(1).max(50).describe('The maximum number of duplicates').default(10),
    }),
    reply: z.array(
      z.object({
        id: DocumentId,
        score: DuplicateScore,
        level: DuplicateLevel,
        signals: z.array(DuplicateSignal).describe('The compared fields: those that both records have'),
        document: z
          .record(z.string(), z.unknown())
          .meta({ description: 'The fields of the record', examples: [{ firstName: 'Ada', lastName: 'Lovelace' }] }),
      }),
    ),
    message: 'Duplicates retrieved',
    emits: [],
  },
});
