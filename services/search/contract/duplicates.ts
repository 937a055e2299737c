import { event, id, listQuery, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { DocumentData, DocumentId } from './documents.ts';

export const duplicateTypes = ['lead', 'account', 'partner'] as const;
export const duplicateLevels = ['exact', 'likely', 'possible'] as const;
/** Levels of pairs that are stored: records that are possible duplicates only are found by asking. */
export const pairLevels = ['exact', 'likely'] as const;
const signalFields = ['email', 'phone', 'name', 'company', 'domain', 'city'] as const;

export const DuplicateType = z
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

const PairLevel = z
  .enum(pairLevels)
  .meta({ description: '`exact` from a score of 0.95, `likely` from 0.75', examples: ['exact'] });
const PairStatus = z
  .enum(['open', 'dismissed'])
  .describe('`open` until somebody declares that the records are different');

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

const shown = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });

/** Two stored records that are likely the same. */
export const RecordPair = z.object({
  id: id('duplicate'),
  type: DuplicateType,
  records: z
    .array(
      z.object({
        id: DocumentId,
        name: shown('The name of the person, of the account, or of the contact of the partner', 'Ada Lovelace'),
        company: shown('The company', 'Analytical Engines'),
        email: shown('The e-mail address', 'ada@example.com'),
        phone: shown('The phone number', '+442071234567'),
      }),
    )
    .length(2)
    .describe('The two records'),
  score: DuplicateScore,
  level: PairLevel,
  signals: z.array(DuplicateSignal).describe('The compared fields: those that both records have'),
  status: PairStatus,
  dismissedBy: id('user').nullable().describe('The user who dismissed the pair'),
  dismissedAt: timestamp()
    .nullable()
    .meta({ description: 'When the pair was dismissed', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** crm dismisses its pair of the same leads. Records are named by their ids only: the audit log keeps the event. */
export const duplicateDismissed = event('duplicate.dismissed', {
  description: 'Two records are declared to be different',
  action: 'duplicate.dismiss',
  target: 'duplicate',
  data: z.object({
    duplicateId: id('duplicate'),
    type: DuplicateType,
    recordIds: z.array(z.string()).length(2).describe('The two records'),
    /** Null for other types, and for documents of clients. */
    leadIds: z.array(id('lead')).length(2).nullable(),
  }),
  record: z.object({
    id: id('duplicate'),
    score: DuplicateScore,
    status: PairStatus,
    dismissedBy: id('user').nullable(),
    dismissedAt: timestamp().nullable(),
    version: z.int(),
  }),
});

const scoring =
  'An equal e-mail address scores 1, and an equal phone number 0.95, or 0.7 if the names are those of two people or companies. Addresses that differ by a +tag, by dots or by a typo are likely, never exact. A name alone is at most 0.6; with the company, its domain or its city it is more. Domains of public mail providers are no companies, and legal forms do not count in the name of a company. Different numbers in names, addresses of two people at one company, and a holding with its subsidiary lower the score.';

export const duplicates = operations({
  listDuplicates: {
    method: 'GET',
    path: '/v1/search/duplicates',
    permission: 'search:read',
    checksPermissions: true,
    summary: 'List likely duplicates',
    description: `Returns pairs of leads, accounts or partners that are likely the same. ${scoring} Pairs are found in the background after a record is created or one of the compared fields changes, and are removed when they are no longer likely, or one of the records is deleted or merged. Only pairs of records that the caller can both read are returned. For leads, GET /v1/leads/duplicates also has pairs that are only possible; a decision about a pair applies to both.`,
    query: listQuery(['createdAt', 'score'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        type: DuplicateType.optional(),
        level: PairLevel.optional(),
        status: PairStatus.default('open'),
      }),
    reply: page(RecordPair),
    message: 'Duplicates retrieved',
  },
  dismissDuplicatePair: {
    method: 'POST',
    path: '/v1/search/duplicates/:pairId/dismiss',
    permission: 'search:write',
    checksPermissions: true,
    summary: 'Dismiss likely duplicates',
    description:
      'Declares that the two records are different. It requires the permission to write both. A pair of leads is also dismissed in GET /v1/leads/duplicates. The pair opens again when a change of one of the records raises the score.',
    params: z.object({ pairId: id('duplicate') }),
    reply: RecordPair,
    message: 'Duplicate dismissed',
    emits: [duplicateDismissed],
    errors: { pair_decided: [409, 'The pair is not open'] },
  },
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
          'The fields of a record that need not exist: email, phone, firstName, lastName and company of a lead or partner; name, domain, website, phone and address of an account. A lead needs an email, a phone, or both names; a partner one of these or a company; an account a name, a domain, a website or a phone',
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
