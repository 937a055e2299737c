import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors } from './custom-fields.ts';
import { Lead, leadChanges, leadDeleted, leadRestored } from './lead.ts';
import { externalIdErrors } from './leads.ts';
import { opportunityUpdated } from './opportunity.ts';
import { taskUpdated } from './task.ts';

/** The maximum number of leads that one request merges into another one. */
export const mergedLeadsMax = 9;
/** How long a merge can be undone: until the merged leads are purged. */
export const mergeUndoDays = 30;

/** The fields for which a merge can take the value of either lead; all others have rules of their own. */
export const mergeFields = [
  'email',
  'firstName',
  'lastName',
  'phone',
  'source',
  'status',
  'assignedTo',
  'teamId',
  'accountId',
  'externalId',
  'referralCode',
  'partnerId',
  'timezone',
] as const;

const MergedValues = Lead.pick(
  Object.fromEntries(mergeFields.map((field) => [field, true])) as Record<(typeof mergeFields)[number], true>,
).partial();

const FieldChoices = z.object(
  Object.fromEntries(mergeFields.map((field) => [field, id('lead').optional()])) as Record<
    (typeof mergeFields)[number],
    z.ZodOptional<ReturnType<typeof id<'lead'>>>
  >,
);

const count = (of: string) => z.int().meta({ description: `The number of ${of}`, examples: [0] });

export const MovedRecords = z.object({
  tasks: count('tasks'),
  opportunities: count('opportunities'),
  activities: count('activities'),
});

export const LeadMerge = z.object({
  mergeId: id('lead_merge').nullable().describe('Identifies the merge, to undo it; null for a preview'),
  survivor: Lead.describe('The lead that remains, with the values of all'),
  mergedIds: z.array(id('lead')).describe('The leads that were merged into it'),
  moved: MovedRecords.describe('The records of the merged leads that the survivor gets'),
  conflicts: z
    .array(
      z.object({
        field: z.enum(mergeFields).meta({ description: 'The field', examples: ['phone'] }),
        chosenLeadId: id('lead').describe('The lead whose value the survivor gets'),
        options: z
          .array(z.object({ leadId: id('lead'), value: MergedValues.describe('The field with its value') }))
          .describe('The different values, by the lead that has them'),
      }),
    )
    .describe('The fields that have different values; choose one by `fieldChoices`'),
});

export const leadMerges = operations({
  mergeLeads: {
    method: 'POST',
    path: '/v1/leads/:id/merge',
    permission: 'leads:write',
    also: ['leads:delete'],
    narrows: true,
    ifMatch: true,
    timeoutMs: 30_000,
    summary: 'Merge leads into one',
    description: `Merges up to ${mergedLeadsMax} leads into the lead of the path, the survivor, and deletes them. Each field keeps the value of the survivor, else gets the first value in the order of \`mergeIds\`, unless \`fieldChoices\` names the lead to take it from. Tags are united and \`customFields\` merged by key; \`score\` is the highest, of pinned scores if there are any, \`createdAt\` the earliest, and each channel of \`consent\` the strictest: denied, then unknown, then granted. Tasks, opportunities, activities and calendar events move to the survivor. Files, engagement events, executions with their recommendations and approvals, and the referral follow within seconds; a survivor with a referral keeps its own. With \`dryRun\` nothing changes, and the response shows what would. A merge can be undone for ${mergeUndoDays} days.`,
    params: z.object({ id: id('lead') }),
    body: z
      .object({
        mergeIds: z
          .array(id('lead'))
          .min(1, 'Must contain at least 1 id')
          .max(mergedLeadsMax, `Must contain at most ${mergedLeadsMax} ids`)
          .describe('The leads to merge into the survivor, which are deleted'),
        fieldChoices: FieldChoices.describe('For each field, the lead whose value the survivor gets').optional(),
        dryRun: z.boolean().describe('Only show what the merge would do').optional(),
      })
      .meta({ examples: [{ mergeIds: ['1djJZs2banxN2kyX'], dryRun: true }] }),
    reply: LeadMerge,
    message: 'Leads merged',
    emits: [...leadChanges, leadDeleted, taskUpdated, opportunityUpdated],
    errors: {
      merge_with_itself: [409, 'A lead cannot be merged with itself'],
      already_merged: [409, 'A lead was already merged into another one'],
      several_converted: [409, 'More than one of the leads is converted; undo a conversion first'],
      too_many_related: [409, 'The leads have too many tasks and opportunities to move at once'],
      ...customFieldErrors,
      ...externalIdErrors,
    },
  },
  undoLeadMerge: {
    method: 'POST',
    path: '/v1/leads/merges/:id/undo',
    permission: 'leads:write',
    narrows: true,
    timeoutMs: 30_000,
    summary: 'Undo a merge of leads',
    description: `Restores the merged leads, gives them back what moved, and gives the survivor its previous values. Possible for ${mergeUndoDays} days, as long as nothing that the merge wrote to the survivor has changed since.`,
    params: z.object({ id: id('lead_merge') }),
    reply: z.object({
      mergeId: id('lead_merge').describe('The merge that was undone'),
      survivor: Lead.describe('The lead of the merge, with its previous values'),
      restored: z.array(Lead).describe('The leads that were merged into it'),
      undoneAt: timestamp().describe('When the merge was undone'),
    }),
    message: 'Merge undone',
    emits: [...leadChanges, leadRestored, taskUpdated, opportunityUpdated],
    errors: {
      merge_undone: [409, 'The merge is already undone'],
      merge_too_old: [409, `A merge can be undone for ${mergeUndoDays} days`],
      merge_changed: [409, 'The survivor was changed since the merge'],
      ...customFieldErrors,
      ...externalIdErrors,
    },
  },
});
