import { code, email, event, freeForm, id, name, phone, stateTable, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { Consent, ConsentChange } from './consent.ts';

export const leadStatuses = ['new', 'contacted', 'qualified', 'unqualified'] as const;
export const leadSources = ['web', 'referral', 'api', 'import', 'manual'] as const;

const nameMax = 100;

export const LeadStatus = z.enum(leadStatuses).describe('The qualification status of the lead');
export const LeadSource = z.enum(leadSources).describe('The source of the lead');
const StatusCode = code().meta({
  description: 'The code of the lead status that the tenant defined; its category is `status`',
  examples: ['new'],
});
const Score = z
  .number({ error: 'Must be a number from 0 to 100' })
  .min(0, 'Must be at least 0')
  .max(100, 'Must be at most 100')
  .meta({ description: 'The lead score, from 0 (lowest) to 100 (highest)', examples: [42] });
const Email = email().meta({ examples: ['ada@example.com'] });
const ReferralCode = text(32)
  .min(4, 'Must be at least 4 characters')
  .meta({ description: 'The code of the partner who referred the lead', examples: ['ADA-2026'] });
const Tags = z
  .array(name(50))
  .max(50, 'Must contain at most 50 tags')
  .meta({ description: 'Custom labels, at most 50', examples: [['vip']] });

export const leadStates = stateTable<(typeof leadStatuses)[number]>('Lead', {
  created: { new: 'createLead' },
  changes: {
    new: { contacted: 'changeLeadStatus', qualified: 'changeLeadStatus', unqualified: 'changeLeadStatus' },
    contacted: { qualified: 'changeLeadStatus', unqualified: 'changeLeadStatus' },
    qualified: { contacted: 'changeLeadStatus', unqualified: 'changeLeadStatus' },
    unqualified: { contacted: 'changeLeadStatus' },
  },
});

/**
 * The names of a lead of whom only the address is known, such as one of a form that does not ask for names: a lead has both.
 * The last name tells such leads apart.
 */
export function unknownNames({ email }: { email: string }): { firstName: string; lastName: string } {
  return { firstName: email.split('@')[0]?.slice(0, nameMax) || email, lastName: '-' };
}

export const Lead = z.object({
  id: id('lead'),
  tenantId: id('tenant'),
  email: Email,
  firstName: name().meta({ examples: ['Ada'] }),
  lastName: name().meta({ examples: ['Lovelace'] }),
  phone: phone().nullable(),
  source: LeadSource.nullable().meta({ examples: ['web'] }),
  status: LeadStatus.meta({ examples: ['new'] }),
  // Null only in events of the previous release.
  statusCode: StatusCode.nullable(),
  allowedTransitions: z.array(LeadStatus).meta({
    description: 'The statuses that this lead can currently change to',
    examples: [['contacted', 'qualified', 'unqualified']],
  }),
  score: Score,
  scorePinned: z
    .boolean()
    .nullish()
    .meta({
      description: 'Whether the score was set by hand. Scoring rules do not change a pinned score.',
      examples: [false],
    }),
  assignedTo: id('user').nullable().describe('The user that the lead is assigned to'),
  teamId: id('team')
    .nullable()
    .describe(
      'The team that the lead belongs to. A user whose permission is narrowed to `team` can access the leads of their teams.',
    ),
  accountId: id('account').nullable().describe('The account (company) that the lead belongs to'),
  customFields: freeForm(),
  tags: Tags,
  externalId: text(255)
    .nullable()
    .meta({ description: 'The id of the lead in your own system', examples: ['web-10423'] }),
  referralCode: ReferralCode.nullable(),
  partnerId: id('partner').nullable().describe('The partner that the lead is attributed to, by its `referralCode`'),
  timezone: timeZone().nullable(),
  consent: Consent,
  mergedIntoId: id('lead').nullable().describe('For a deleted lead: the lead that it was merged into'),
  convertedAt: timestamp()
    .nullable()
    .meta({ description: 'When the lead was converted to an opportunity', examples: [null] }),
  convertedOpportunityId: id('opportunity')
    .nullable()
    .meta({ description: 'The opportunity that the lead was converted to', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A lead with what is counted and looked up for it. */
export const LeadDetail = Lead.extend({
  duplicateCount: z.int().meta({ description: 'The number of possible duplicates of the lead', examples: [0] }),
  nextTaskAt: timestamp().nullable().describe('The earliest due time of its open tasks'),
  lastActivityAt: timestamp()
    .nullable()
    .describe('The time of the newest activity that a person logged, message, or form that the lead sent'),
});

/** The fields of a lead that a request can set. */
export const writableLead = Lead.pick({ email: true, firstName: true, lastName: true }).extend({
  phone: phone().nullish(),
  source: LeadSource.nullish(),
  status: LeadStatus.optional(),
  statusCode: StatusCode.optional(),
  score: Score.optional(),
  assignedTo: id('user').nullish(),
  teamId: id('team').nullish(),
  accountId: id('account').nullish(),
  customFields: freeForm().optional(),
  tags: Tags.optional(),
  externalId: text(255)
    .nullish()
    .meta({ description: 'The id of the lead in your own system; unique', examples: ['web-10423'] }),
  referralCode: ReferralCode.nullish(),
  timezone: timeZone().nullish(),
  consent: ConsentChange.optional(),
});

const exampleId = 'khzasVT5ZxaVtyRs';
const exampleUserId = 'a3HT7XOrDKJZ9JtB';

/** Values of fields that events of earlier releases lack. */
const whenMissing = { record: { consent: {} } };

export const leadCreated = event('lead.created', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A new lead is created',
  action: 'lead.create',
  target: 'lead',
  data: z.object({ leadId: id('lead'), email: Email, source: LeadSource.nullable() }),
  record: Lead,
  whenMissing,
  example: { leadId: exampleId, email: 'ada@example.com', source: 'web' },
});

export const scoreCauses = [
  'manual',
  'lead_created',
  'lead_updated',
  'lead_restored',
  'merged',
  'engagement',
  'rules_changed',
  'decay',
  'recalculated',
  'prediction',
] as const;

export const leadUpdated = event('lead.updated', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'Lead fields are modified',
  action: 'lead.update',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    changes: Lead.omit({ id: true, tenantId: true })
      .partial()
      .describe('The fields that changed, with their new values'),
    scoreCause: z.enum(scoreCauses).nullish().describe('Why the score changed, if it did'),
    isMerge: z.boolean().nullish().describe('Whether the values come from leads that were merged into this one'),
  }),
  record: Lead,
  whenMissing,
  example: { leadId: exampleId, changes: { status: 'contacted', assignedTo: exampleUserId } },
});

export const leadDeleted = event('lead.deleted', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A lead is removed',
  action: 'lead.delete',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    mergedIntoId: id('lead').nullish().describe('The lead that it was merged into, if a merge removed it'),
    erased: z.literal(true).nullish().describe('True if the data of the lead is erased: erase your copy too'),
  }),
  record: Lead,
  whenMissing,
  example: { leadId: exampleId },
});

export const leadRestored = event('lead.restored', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A deleted lead is restored',
  action: 'lead.restore',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    unmergedFromId: id('lead').nullish().describe('The lead that it was merged into, if the merge was undone'),
  }),
  record: Lead,
  whenMissing,
  example: { leadId: exampleId },
});

export const leadStatusChanged = event('lead.status_changed', {
  description: 'The status of a lead changes',
  action: 'lead.change_status',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    from: LeadStatus,
    to: LeadStatus,
    reason: text(500).nullable(),
    fromCode: code().nullish(),
    toCode: code().nullish(),
  }),
  record: Lead,
  whenMissing,
});

export const leadAssigned = event('lead.assigned', {
  description: 'The assignee of a lead changes',
  action: 'lead.assign',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    from: id('user').nullable(),
    to: id('user').nullable(),
    reason: text(500).nullable(),
  }),
  record: Lead,
  whenMissing,
});

/** Scores at which `lead.score_threshold_crossed` is emitted, in both directions. */
export const scoreThresholds = [50, 80] as const;

export const leadScoreThresholdCrossed = event('lead.score_threshold_crossed', {
  description: `The score of a lead rises to ${scoreThresholds.join(' or ')}, or falls below`,
  action: 'lead.cross_score_threshold',
  target: 'lead',
  data: z.object({ leadId: id('lead'), threshold: z.int(), from: z.number(), to: z.number() }),
  record: Lead,
  whenMissing,
});

export const leadConverted = event('lead.converted', {
  description: 'A lead is converted to an opportunity',
  action: 'lead.convert',
  target: 'lead',
  data: z.object({ leadId: id('lead'), opportunityId: id('opportunity') }),
  record: Lead,
  whenMissing,
});

export const leadUnconverted = event('lead.unconverted', {
  description: 'The conversion of a lead is undone',
  action: 'lead.unconvert',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    opportunityId: id('opportunity').describe('The opportunity that the lead was converted to'),
    reason: text(500).nullable(),
  }),
  record: Lead,
});

/** The events of a change of any fields of a lead. */
export const leadChanges = [leadUpdated, leadStatusChanged, leadAssigned, leadScoreThresholdCrossed];
