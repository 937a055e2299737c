import {
  event,
  flag,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  text,
  timestamp,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';

export const leadStatuses = ['new', 'contacted', 'qualified', 'unqualified'] as const;
export const leadSources = ['web', 'referral', 'api', 'import', 'manual'] as const;
export const consentStates = ['granted', 'denied', 'withdrawn'] as const;

const LeadStatus = z.enum(leadStatuses, { error: `Must be one of ${leadStatuses.join(', ')}` });
const LeadSource = z.enum(leadSources, { error: `Must be one of ${leadSources.join(', ')}` });
const Score = z
  .number({ error: 'Must be a number from 0 to 100' })
  .min(0, 'Must be at least 0')
  .max(100, 'Must be at most 100');
const Email = z.email({ error: 'Must be a valid e-mail address' }).max(254, 'Must be at most 254 characters');
const ReferralCode = text(32).min(4, 'Must be at least 4 characters');
const Tags = z.array(name(50)).max(50, 'Must hold at most 50 tags');

export const Lead = z.object({
  id: id('lead'),
  tenantId: id('tenant'),
  email: Email,
  firstName: name(),
  lastName: name(),
  phone: phone().nullable(),
  source: LeadSource.nullable(),
  status: LeadStatus,
  /** The statuses that this lead may move to now. */
  allowedTransitions: z.array(LeadStatus),
  score: Score,
  assignedTo: id('user').nullable(),
  /** The team that the lead belongs to: its members reach it when their permission is narrowed to `team`. */
  teamId: id('team').nullable(),
  customFields: freeForm(),
  tags: Tags,
  externalId: text(255).nullable(),
  /** The code of the partner who sent the lead. */
  referralCode: ReferralCode.nullable(),
  convertedAt: timestamp().nullable(),
  convertedOpportunityId: id('opportunity').nullable(),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** One lead in full: with what is gathered from elsewhere. */
export const LeadDetail = Lead.extend({ duplicateCount: z.int() });

const writable = Lead.pick({ email: true, firstName: true, lastName: true }).extend({
  phone: phone().nullish(),
  source: LeadSource.nullish(),
  status: LeadStatus.optional(),
  score: Score.optional(),
  assignedTo: id('user').nullish(),
  teamId: id('team').nullish(),
  customFields: freeForm().optional(),
  tags: Tags.optional(),
  externalId: text(255).nullish(),
  referralCode: ReferralCode.nullish(),
});

const withId = z.object({ id: id('lead') });
const exampleId = 'k3VqPz81RtLm0WcY';
const exampleUserId = 'Tn5uQ2xJd7RfAe9B';

export const leadCreated = event('lead.created', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A new lead is created',
  action: 'lead.create',
  target: 'lead',
  data: z.object({ leadId: id('lead'), email: Email, source: LeadSource.nullable() }),
  record: Lead,
  example: { leadId: exampleId, email: 'ada@example.com', source: 'web' },
});

export const leadUpdated = event('lead.updated', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'Lead fields are modified',
  action: 'lead.update',
  target: 'lead',
  data: z.object({ leadId: id('lead'), changes: Lead.omit({ id: true, tenantId: true }).partial() }),
  record: Lead,
  example: { leadId: exampleId, changes: { status: 'contacted', assignedTo: exampleUserId } },
});

export const leadDeleted = event('lead.deleted', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A lead is removed',
  action: 'lead.delete',
  target: 'lead',
  data: z.object({ leadId: id('lead') }),
  record: Lead,
  example: { leadId: exampleId },
});

export const leadRestored = event('lead.restored', {
  group: 'leads',
  readPermission: 'leads:read',
  description: 'A removed lead is restored',
  action: 'lead.restore',
  target: 'lead',
  data: z.object({ leadId: id('lead') }),
  record: Lead,
  example: { leadId: exampleId },
});

export const leadStatusChanged = event('lead.status_changed', {
  description: 'A lead moves to another status',
  action: 'lead.change_status',
  target: 'lead',
  data: z.object({ leadId: id('lead'), from: LeadStatus, to: LeadStatus, reason: text(500).nullable() }),
  record: Lead,
});

export const leadConverted = event('lead.converted', {
  description: 'A lead becomes an opportunity',
  action: 'lead.convert',
  target: 'lead',
  data: z.object({ leadId: id('lead'), opportunityId: id('opportunity') }),
  record: Lead,
});

export const DuplicatePair = z.object({
  id: id('duplicate_pair'),
  leadIds: z.array(id('lead')).length(2),
  /** How sure the match is, from 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** What the two have in common. */
  matchedOn: z.array(z.enum(['email', 'phone', 'name'])),
  status: z.enum(['open', 'dismissed', 'merged']),
  createdAt: timestamp(),
});

const statusErrors = {
  transition_refused: [409, 'The lead cannot move to this status'],
  lead_converted: [409, 'The lead has been converted; its status no longer changes'],
} as const;

export const leads = operations({
  createLead: {
    method: 'POST',
    path: '/v1/leads',
    permission: 'leads:write',
    narrows: true,
    summary: 'Create a lead',
    description:
      'Without teamId the lead belongs to the team of the acting user, if they are in exactly one. Possible duplicates are looked for afterwards and listed at GET /v1/leads/duplicates.',
    body: writable,
    reply: Lead,
    status: 201,
    message: 'Lead created',
    emits: [leadCreated],
  },
  listLeads: {
    method: 'GET',
    path: '/v1/leads',
    permission: 'leads:read',
    narrows: true,
    summary: 'List leads',
    description: '`search` looks into e-mail address, first name, last name and externalId.',
    query: listQuery(['createdAt', 'updatedAt', 'score', 'email', 'lastName']).extend({
      status: LeadStatus.optional(),
      source: LeadSource.optional(),
      assignedTo: id('user').optional(),
      teamId: id('team').optional(),
      scoreMin: wholeNumber(0, 100).optional(),
      scoreMax: wholeNumber(0, 100).optional(),
      tag: text(50).optional(),
      converted: flag().optional(),
      deleted: flag().optional(),
      customFields: z.record(text(64), text(200)).optional(),
    }),
    reply: page(Lead),
    message: 'Leads retrieved',
  },
  listLeadDuplicates: {
    method: 'GET',
    path: '/v1/leads/duplicates',
    permission: 'leads:read',
    narrows: true,
    summary: 'List possible duplicates',
    description:
      'Pairs of leads that share an e-mail address (confidence 1), a phone number (0.8), an address that differs only by a +tag or by dots that the provider ignores (0.75) or a full name without case and accents (0.5). They are detected after a lead is created, restored or changed, follow later changes, and end when the two leads share nothing any more. The list shows pairs of which the caller may read both leads.',
    query: listQuery(['createdAt', 'confidence'])
      .omit({ search: true })
      .extend({
        minConfidence: z
          .codec(z.string().regex(/^[0-9.]{1,6}$/, 'Must be a number from 0 to 1'), z.number().min(0).max(1), {
            decode: Number,
            encode: String,
          })
          .optional(),
        status: DuplicatePair.shape.status.optional(),
      }),
    reply: page(DuplicatePair),
    message: 'Duplicates retrieved',
  },
  getLead: {
    method: 'GET',
    path: '/v1/leads/:id',
    permission: 'leads:read',
    narrows: true,
    summary: 'Retrieve a lead',
    params: withId,
    reply: LeadDetail,
    message: 'Lead retrieved',
  },
  updateLead: {
    method: 'PATCH',
    path: '/v1/leads/:id',
    permission: 'leads:write',
    narrows: true,
    summary: 'Update a lead',
    description:
      'Changes the given fields; the keys of customFields are replaced as a whole. A status change follows the rules of POST /v1/leads/:id/status.',
    params: withId,
    body: writable.partial(),
    reply: Lead,
    message: 'Lead updated',
    emits: [leadUpdated, leadStatusChanged],
    errors: statusErrors,
  },
  deleteLead: {
    method: 'DELETE',
    path: '/v1/leads/:id',
    permission: 'leads:delete',
    narrows: true,
    summary: 'Delete a lead',
    description: 'The lead can be restored for 30 days.',
    params: withId,
    reply: z.object({ id: id('lead'), deleted: z.literal(true) }),
    message: 'Lead deleted',
    emits: [leadDeleted],
  },
  restoreLead: {
    method: 'POST',
    path: '/v1/leads/:id/restore',
    permission: 'leads:write',
    narrows: true,
    summary: 'Restore a deleted lead',
    params: withId,
    reply: Lead,
    message: 'Lead restored',
    emits: [leadRestored],
    errors: { not_deleted: [409, 'The lead is not deleted'] },
  },
  changeLeadStatus: {
    method: 'POST',
    path: '/v1/leads/:id/status',
    permission: 'leads:write',
    narrows: true,
    summary: 'Move a lead to another status',
    description:
      'new → contacted, qualified, unqualified; contacted → qualified, unqualified; qualified → contacted, unqualified; unqualified → contacted.',
    params: withId,
    body: z.object({ status: LeadStatus, reason: text(500).nullish() }),
    reply: Lead,
    message: 'Lead status changed',
    emits: [leadUpdated, leadStatusChanged],
    errors: statusErrors,
  },
});
