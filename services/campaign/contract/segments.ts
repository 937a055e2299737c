import {
  email,
  event,
  id,
  LeadCondition,
  listQuery,
  name,
  operations,
  page,
  phone,
  selectConditionsMax,
  selectedLeadsMax,
  text,
  timestamp,
  wholeNumber,
  writableCondition,
} from '@tandem/contract';
import { z } from 'zod';

export const segmentTypes = ['static', 'filter'] as const;

/** The actions of leads that `behavior` of a segment can name. */
export const behaviorEvents = ['opened', 'clicked', 'replied', 'form_submitted', 'visited'] as const;

/** Maximum number of entries of `behavior`. */
const behaviorMax = 10;
/** Maximum number of leads of a static segment. */
export const segmentLeadsMax = 10_000;
/** Maximum number of leads that one request names. */
export const namedLeadsMax = selectedLeadsMax;

export const SegmentType = z.enum(segmentTypes).meta({
  description:
    'Whether the segment has the leads that were added to it (`static`), or those that meet conditions (`filter`)',
  examples: ['filter'],
});
const conditionsError = { error: `Must contain at most ${selectConditionsMax} conditions` };
const Conditions = z
  .array(LeadCondition)
  .max(selectConditionsMax, conditionsError)
  .meta({
    description: 'The conditions of a `filter` segment, all of which a lead must meet',
    examples: [[{ field: 'customFields.country', operator: 'equals', value: 'DE' }]],
  });
/** Conditions in a request, where a value may be missing. */
export const WritableConditions = z
  .array(writableCondition)
  .max(selectConditionsMax, conditionsError)
  .meta({
    description: `Conditions on fields of leads, all of which a lead must meet; at most ${selectConditionsMax}`,
    examples: [[{ field: 'customFields.country', operator: 'equals', value: 'DE' }]],
  });
/** Leads that a request names. */
export const NamedLeads = z
  .array(id('lead'))
  .max(namedLeadsMax, { error: `Must contain at most ${namedLeadsMax} leads` });

const WithinDays = z
  .int({ error: 'Must be a whole number from 1 to 3650' })
  .min(1, 'Must be at least 1')
  .max(3650, 'Must be at most 3650')
  .meta({ description: 'Only within this number of days before now', examples: [30] });
const OfCampaign = id('campaign').describe('Only with messages of this campaign');
export const BehaviorEvent = z
  .enum(behaviorEvents)
  .meta({ description: 'The action of the lead; whoever clicks has opened', examples: ['clicked'] });
const Negate = z.boolean().meta({ description: 'Whether the lead must not have done it', examples: [false] });
/** An action that a lead must have done, or must not have done. Opens and clicks of software do not count. */
const BehaviorCondition = z.object({
  event: BehaviorEvent,
  campaignId: OfCampaign.nullable(),
  withinDays: WithinDays.nullable(),
  negate: Negate,
});
const behaviorError = { error: `Must contain at most ${behaviorMax} entries` };
const WritableBehavior = z
  .array(
    BehaviorCondition.extend({
      campaignId: OfCampaign.nullish(),
      withinDays: WithinDays.nullish(),
      negate: Negate.default(false),
    }),
  )
  .max(behaviorMax, behaviorError)
  .meta({
    description: `Actions that the leads of a \`filter\` segment have done or have not done; all must hold; at most ${behaviorMax}`,
    examples: [[{ event: 'clicked', campaignId: null, withinDays: 30, negate: false }]],
  });

/** A named set of leads, from which audiences of campaigns are composed. */
export const Segment = z.object({
  id: id('segment'),
  name: name(100).meta({ examples: ['Customers in Germany'] }),
  description: text(500)
    .nullable()
    .meta({ description: 'The purpose of the segment', examples: ['For the monthly offer'] }),
  type: SegmentType,
  conditions: Conditions,
  behavior: z
    .array(BehaviorCondition)
    .max(behaviorMax, behaviorError)
    .meta({
      description: 'Actions that the leads of a `filter` segment have done or have not done; all must hold',
      examples: [[{ event: 'clicked', campaignId: null, withinDays: 30, negate: false }]],
    }),
  leadCount: z
    .int()
    .nullable()
    .meta({
      description: 'The number of leads that were added to a `static` segment; null for a `filter` segment',
      examples: [null],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const aboutSegment = {
  target: 'segment',
  data: Segment.pick({ name: true, type: true }).extend({ segmentId: id('segment') }),
  record: Segment,
} as const;

export const segmentCreated = event('segment.created', {
  ...aboutSegment,
  description: 'A segment is created',
  action: 'segment.create',
});
export const segmentUpdated = event('segment.updated', {
  ...aboutSegment,
  description: 'A segment, or the leads in it, change',
  action: 'segment.update',
});
export const segmentDeleted = event('segment.deleted', {
  ...aboutSegment,
  description: 'A segment is deleted',
  action: 'segment.delete',
});

/** A lead of a segment, with the addresses to which messages go. */
export const SegmentLead = z.object({ id: id('lead'), email: email(), phone: phone().nullable() });

const withId = z.object({ id: id('segment') });
const nameTaken = [409, 'Another segment has this name; use a different one'] as const;

export const segments = operations({
  createSegment: {
    method: 'POST',
    path: '/v1/campaigns/segments',
    permission: 'campaigns:write',
    also: [{ permission: 'leads:read', for: 'leadIds' }],
    summary: 'Create a segment',
    description: `A \`filter\` segment needs \`conditions\`, \`behavior\` or both. A \`static\` segment can start with \`leadIds\`; more are added by an update, up to ${segmentLeadsMax} in all.`,
    body: z.object({
      name: Segment.shape.name,
      description: text(500).nullish(),
      type: SegmentType,
      conditions: WritableConditions.optional(),
      behavior: WritableBehavior.optional(),
      leadIds: NamedLeads.describe(`The first leads of a \`static\` segment, at most ${namedLeadsMax}`).optional(),
    }),
    reply: Segment,
    status: 201,
    message: 'Segment created',
    emits: [segmentCreated],
    errors: { name_taken: nameTaken },
  },
  listSegments: {
    method: 'GET',
    path: '/v1/campaigns/segments',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List segments',
    description: '`search` covers the name and the description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({ type: SegmentType.optional() }),
    reply: page(Segment),
    message: 'Segments retrieved',
  },
  getSegment: {
    method: 'GET',
    path: '/v1/campaigns/segments/:id',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a segment',
    params: withId,
    reply: Segment,
    message: 'Segment retrieved',
  },
  updateSegment: {
    method: 'PATCH',
    path: '/v1/campaigns/segments/:id',
    permission: 'campaigns:write',
    also: [{ permission: 'leads:read', for: 'addLeadIds' }],
    summary: 'Update a segment',
    description:
      'The type cannot change. Leads that the segment has already, and leads to remove that it does not have, are ignored.',
    params: withId,
    body: z.object({
      name: Segment.shape.name.optional(),
      description: text(500).nullish(),
      conditions: WritableConditions.optional(),
      behavior: WritableBehavior.optional(),
      addLeadIds: NamedLeads.describe(`Leads to add to a \`static\` segment, at most ${namedLeadsMax}`).optional(),
      removeLeadIds: NamedLeads.describe(
        `Leads to remove from a \`static\` segment, at most ${namedLeadsMax}`,
      ).optional(),
    }),
    reply: Segment,
    message: 'Segment updated',
    emits: [segmentUpdated],
    errors: {
      name_taken: nameTaken,
      too_many_leads: [
        409,
        `A static segment has at most ${segmentLeadsMax} leads; remove some, or use a filter segment`,
      ],
    },
  },
  deleteSegment: {
    method: 'DELETE',
    path: '/v1/campaigns/segments/:id',
    permission: 'campaigns:delete',
    summary: 'Delete a segment',
    description:
      'A segment that the audience of a campaign has, or a published or paused workflow asks for, cannot be deleted; `errors` names them.',
    params: withId,
    reply: z.object({ id: id('segment'), deleted: z.literal(true).describe('Always true') }),
    message: 'Segment deleted',
    emits: [segmentDeleted],
    errors: {
      segment_in_use: [409, 'Audiences of campaigns or workflows have this segment; remove it from them first'],
    },
  },
  listSegmentLeads: {
    method: 'GET',
    path: '/v1/campaigns/segments/:id/leads',
    permission: 'campaigns:read',
    also: ['leads:read'],
    narrows: true,
    summary: 'List the leads of a segment',
    description:
      'The leads of the segment that the caller can read, by id. A page can have fewer leads than `limit` before the last one: continue with `after` until `next` is null.',
    params: withId,
    query: z.object({
      after: id('lead').describe('`next` of the previous page').optional(),
      limit: wholeNumber(1, 100).describe('The maximum number of leads per page').default(20),
    }),
    reply: z.object({
      leads: z.array(SegmentLead).describe('The leads of the page, by id'),
      next: id('lead').nullable().describe('`after` of the next page; null on the last one'),
    }),
    message: 'Leads retrieved',
  },
});
