import { event, id, listQuery, name, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { NewOwnerId, OwnerId, TeamId } from './owner.ts';

export const campaignTypes = ['email', 'sms', 'mixed'] as const;
export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const;

export const CampaignType = z.enum(campaignTypes).describe('The channels of the campaign');
export const CampaignStatus = z.enum(campaignStatuses).describe('The status of the campaign');

export const campaignStates = stateTable<(typeof campaignStatuses)[number]>('Campaign', {
  created: { draft: 'createCampaign', active: 'createCampaign', paused: 'createCampaign', completed: 'createCampaign' },
  changes: { draft: {}, active: {}, paused: {}, completed: {} },
  automatic: { active: { paused: 'pause-unhealthy' } },
});

const SenderId = id('sender').describe('The sender of its e-mails; the platform without one');

export const Campaign = z.object({
  id: id('campaign'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Spring offer'] }),
  description: text(2000)
    .nullable()
    .meta({ examples: ['For all leads of the winter campaign'] }),
  type: CampaignType,
  status: CampaignStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z
    .array(CampaignStatus)
    .meta({ description: 'The statuses that this campaign can currently change to', examples: [[]] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  ownerId: OwnerId,
  teamId: TeamId,
  senderId: SenderId.nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const campaignCreated = event('campaign.created', {
  description: 'A campaign is created',
  action: 'campaign.create',
  target: 'campaign',
  data: Campaign.pick({ name: true, type: true, status: true }).extend({ campaignId: id('campaign') }),
  record: Campaign,
});

export const campaignUpdated = event('campaign.updated', {
  description: 'A campaign is updated',
  action: 'campaign.update',
  target: 'campaign',
  data: z.object({ campaignId: id('campaign'), fields: z.array(z.string()) }),
  record: Campaign,
});

/** A campaign is paused when more than these shares of its messages bounce or are reported as spam. */
export const healthLimits = { bounceRate: 0.05, complaintRate: 0.003, sentMin: 50 } as const;

const rate = (what: string) => z.number().meta({ description: what, examples: [0.062] });
const count = (what: string) => z.int().meta({ description: what, examples: [62] });

export const campaignAutoPaused = event('campaign.auto_paused', {
  description: 'A campaign is paused by the system, because too many of its messages bounced or were reported as spam',
  action: 'campaign.auto_pause',
  target: 'campaign',
  data: z.object({
    campaignId: id('campaign'),
    reason: z.enum(['bounces', 'complaints']).meta({ description: 'What exceeded its limit', examples: ['bounces'] }),
    sent: count('Messages that were sent since the last automatic pause'),
    bounced: count('How many of them bounced'),
    complained: count('How many of them were reported as spam'),
    bounceRate: rate('The share of those that bounced'),
    complaintRate: rate('The share of those that were reported as spam'),
  }),
  record: Campaign,
});

export const campaigns = operations({
  createCampaign: {
    method: 'POST',
    path: '/v1/campaigns',
    permission: 'campaigns:write',
    narrows: true,
    summary: 'Create a campaign',
    description: '`type` defaults to `email`, and `status` to `draft`.',
    body: Campaign.pick({ name: true }).extend({
      description: text(2000).nullish(),
      type: CampaignType.optional(),
      status: CampaignStatus.optional(),
      ownerId: NewOwnerId,
      senderId: SenderId.nullish(),
    }),
    reply: Campaign,
    status: 201,
    message: 'Campaign created',
    emits: [campaignCreated],
  },
  listCampaigns: {
    method: 'GET',
    path: '/v1/campaigns',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List campaigns',
    description: '`search` covers the name and the description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      status: CampaignStatus.optional(),
      type: CampaignType.optional(),
    }),
    reply: page(Campaign),
    message: 'Campaigns retrieved',
  },
  getCampaign: {
    method: 'GET',
    path: '/v1/campaigns/:id',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a campaign',
    params: z.object({ id: id('campaign') }),
    reply: Campaign,
    message: 'Campaign retrieved',
  },
});
