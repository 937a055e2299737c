import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Account, accountDeleted, accountErrors, accountUpdated } from './accounts.ts';
import { customFieldErrors } from './custom-fields.ts';
import { leadUpdated } from './lead.ts';
import { opportunityUpdated } from './opportunity.ts';

/** The maximum number of accounts that one request merges into another one. */
export const mergedAccountsMax = 9;

/** The fields for which a merge can take the value of either account; tags and custom fields are united. */
export const accountMergeFields = [
  'name',
  'domain',
  'industry',
  'size',
  'website',
  'phone',
  'ownerId',
  'teamId',
  'externalId',
] as const;
type MergeField = (typeof accountMergeFields)[number];

const MergedValues = Account.pick(
  Object.fromEntries(accountMergeFields.map((field) => [field, true])) as Record<MergeField, true>,
).partial();
const FieldChoices = z.object(
  Object.fromEntries(accountMergeFields.map((field) => [field, id('account').optional()])) as Record<
    MergeField,
    z.ZodOptional<ReturnType<typeof id<'account'>>>
  >,
);
const count = (of: string) => z.int().meta({ description: `The number of ${of}`, examples: [0] });

export const AccountMerge = z.object({
  survivor: Account.describe('The account that remains, with the values of all'),
  mergedIds: z.array(id('account')).describe('The accounts that were merged into it'),
  moved: z
    .object({
      leads: count('leads'),
      opportunities: count('opportunities'),
      subsidiaries: count('accounts whose parent company changes'),
      activities: count('activities of the accounts themselves'),
    })
    .describe('The records of the merged accounts that the survivor gets; they follow within seconds'),
  conflicts: z
    .array(
      z.object({
        field: z.enum(accountMergeFields).meta({ description: 'The field', examples: ['phone'] }),
        chosenAccountId: id('account').describe('The account whose value the survivor gets'),
        options: z
          .array(z.object({ accountId: id('account'), value: MergedValues.describe('The field with its value') }))
          .describe('The different values, by the account that has them'),
      }),
    )
    .describe('The fields that have different values; choose one by `fieldChoices`'),
});

export const accountMerges = operations({
  mergeAccounts: {
    method: 'POST',
    path: '/v1/accounts/:id/merge',
    permission: 'accounts:write',
    also: ['accounts:delete'],
    narrows: true,
    ifMatch: true,
    summary: 'Merge accounts into one',
    description: `Merges up to ${mergedAccountsMax} accounts into the account of the path, the survivor, and deletes them. Each field keeps the value of the survivor, else gets the first value in the order of \`mergeIds\`, unless \`fieldChoices\` names the account to take it from. Tags are united, and \`customFields\` and \`address\` merged by key. Leads, opportunities, subsidiaries and activities move to the survivor in the background, also those that the caller cannot access. With \`dryRun\` nothing changes, and the response shows what would. A merge cannot be undone.`,
    params: z.object({ id: id('account') }),
    body: z
      .object({
        mergeIds: z
          .array(id('account'))
          .min(1, 'Must contain at least 1 id')
          .max(mergedAccountsMax, `Must contain at most ${mergedAccountsMax} ids`)
          .describe('The accounts to merge into the survivor, which are deleted'),
        fieldChoices: FieldChoices.describe('For each field, the account whose value the survivor gets').optional(),
        dryRun: z.boolean().describe('Only show what the merge would do').optional(),
      })
      .meta({ examples: [{ mergeIds: ['gwvIN2G30dZ5ya81'], dryRun: true }] }),
    reply: AccountMerge,
    message: 'Accounts merged',
    emits: [accountUpdated, accountDeleted, leadUpdated, opportunityUpdated],
    errors: {
      merge_with_itself: [409, 'An account cannot be merged with itself'],
      already_merged: [409, 'An account was already merged into another one'],
      ...accountErrors,
      ...customFieldErrors,
    },
  },
});
