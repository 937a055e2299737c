import { id, LeadCondition, operations, selectConditionsMax } from '@tandem/contract';
import { z } from 'zod';
import { campaignUpdated } from './campaign.ts';
import { NamedLeads, WritableConditions } from './segments.ts';
import { MessageChannel } from './suppressions.ts';

/** Maximum number of parts that an audience includes, and that it excludes. */
export const audiencePartsMax = 10;
/** Maximum number of leads that a preview examines. */
export const previewedLeadsMax = 20_000;
export const dropReasons = ['no_address', 'no_consent', 'suppressed', 'duplicate'] as const;

const SegmentOfPart = id('segment').describe('The leads of this segment');
const LeadsOfPart = NamedLeads.min(1, { error: 'Must name at least one lead' }).describe('These leads');

/** A part of an audience: one of its fields. */
const AudiencePart = z.object({
  segmentId: SegmentOfPart.optional(),
  leadIds: LeadsOfPart.optional(),
  conditions: z
    .array(LeadCondition)
    .max(selectConditionsMax)
    .describe('The leads that meet all these conditions')
    .optional(),
});
const WritablePart = AudiencePart.extend({
  conditions: WritableConditions.min(1, { error: 'Must contain at least one condition' }).optional(),
});
const partsOf = <Part extends z.ZodType>(part: Part) =>
  z.array(part).max(audiencePartsMax, { error: `Must contain at most ${audiencePartsMax} parts` });
const example = [{ conditions: [{ field: 'status', operator: 'equals', value: 'qualified' }] }];

/** The recipients of a campaign: the leads of all included parts, without those of the excluded ones. */
export const Audience = z.object({
  campaignId: id('campaign'),
  include: partsOf(AudiencePart).meta({
    description: 'The parts whose leads are in the audience',
    examples: [example],
  }),
  exclude: partsOf(AudiencePart).meta({ description: 'The parts whose leads are left out', examples: [[]] }),
  version: z.int().describe('The version of the campaign, for `If-Match`'),
});

const Dropped = z.object(
  Object.fromEntries(
    dropReasons.map((reason) => [
      reason,
      z.int().meta({ description: `The number of leads that get no message: ${reason}`, examples: [0] }),
    ]),
  ) as Record<(typeof dropReasons)[number], z.ZodInt>,
);

/** The leads that a campaign would reach if it was sent now. */
export const AudiencePreview = z.object({
  total: z.int().meta({ description: 'The number of leads in the audience', examples: [120] }),
  reachable: z.int().meta({ description: 'The number of leads that would get a message', examples: [117] }),
  dropped: Dropped.describe('The others by the first reason that applies'),
  isComplete: z.boolean().meta({
    description: `Whether the whole audience was counted. The counts of a larger one cover its first leads, at most ${previewedLeadsMax}`,
    examples: [true],
  }),
  samples: z
    .array(
      z.object({
        leadId: id('lead'),
        channel: MessageChannel.describe('How the lead would be contacted'),
        address: z.string().meta({ description: 'The address for this channel', examples: ['ada@example.com'] }),
      }),
    )
    .describe('Up to 10 leads that would get a message'),
});

const ofCampaign = z.object({ id: id('campaign') });

export const audiences = operations({
  getAudience: {
    method: 'GET',
    path: '/v1/campaigns/:id/audience',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve the audience of a campaign',
    params: ofCampaign,
    reply: Audience,
    message: 'Audience retrieved',
  },
  setAudience: {
    method: 'PUT',
    path: '/v1/campaigns/:id/audience',
    permission: 'campaigns:write',
    also: ['leads:read'],
    narrows: true,
    summary: 'Set the audience of a campaign',
    description:
      'Each part has one of `segmentId`, `leadIds` and `conditions`. Pause an active campaign first. The audience of a completed campaign cannot change.',
    params: ofCampaign,
    body: z.object({ include: partsOf(WritablePart), exclude: partsOf(WritablePart).default([]) }),
    reply: Audience,
    message: 'Audience set',
    emits: [campaignUpdated],
    errors: {
      campaign_active: [409, 'The campaign is active; pause it before you change its audience'],
      campaign_completed: [409, 'The campaign is completed; duplicate it to change it'],
    },
  },
  previewAudience: {
    method: 'POST',
    path: '/v1/campaigns/:id/audience/preview',
    permission: 'campaigns:read',
    also: ['leads:read'],
    narrows: true,
    summary: 'Count whom a campaign would reach',
    description:
      'Counts the leads of the audience that the caller can read, and those that would get no message: without an address, without consent (`denied`), suppressed, or with the address of another lead. Changes nothing.',
    params: ofCampaign,
    reply: AudiencePreview,
    message: 'Audience previewed',
    emits: [],
  },
});
