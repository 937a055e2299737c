import { event, id, name, stateTable, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { OwnerId, TeamId } from './owner.ts';
import { SendWindow } from './workflow-settings.ts';

export const campaignTypes = ['email', 'sms', 'mixed'] as const;
export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const;
/** The status, except that an active campaign whose start is in the future is scheduled. */
export const campaignPhases = ['draft', 'scheduled', 'running', 'paused', 'completed'] as const;

export const CampaignType = z.enum(campaignTypes).describe('The channels of the campaign: e-mail, SMS, or both');
export const CampaignStatus = z.enum(campaignStatuses).describe('The status of the campaign');
export const CampaignPhase = z.enum(campaignPhases);

export const campaignStates = stateTable<(typeof campaignStatuses)[number]>('Campaign', {
  created: { draft: 'createCampaign', active: 'createCampaign', paused: 'createCampaign', completed: 'createCampaign' },
  changes: {
    draft: { active: 'activateCampaign' },
    active: { paused: 'pauseCampaign', completed: 'completeCampaign' },
    paused: { active: 'resumeCampaign', completed: 'completeCampaign' },
    completed: {},
  },
  automatic: {
    active: { paused: 'pause-unhealthy', completed: 'complete-campaign.job' },
    paused: { completed: 'complete-campaign.job' },
  },
});

export const CampaignTimezone = timeZone();
export const SenderId = id('sender').describe('The sender of its e-mails; the platform without one');

export const Campaign = z.object({
  id: id('campaign'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Spring offer'] }),
  description: text(2000)
    .nullable()
    .meta({ examples: ['For all leads of the winter campaign'] }),
  type: CampaignType,
  status: CampaignStatus.meta({ examples: ['draft'] }),
  phase: CampaignPhase.meta({
    description: 'The same as the status, except that an active campaign is scheduled or running',
    examples: ['draft'],
  }),
  allowedTransitions: z.array(CampaignStatus).meta({
    description: 'The statuses that this campaign can currently change to',
    examples: [['active']],
  }),
  startAt: timestamp()
    .nullable()
    .meta({ description: 'When the campaign starts, once it is active', examples: ['2030-03-01T08:00:00.000Z'] }),
  endAt: timestamp()
    .nullable()
    .meta({ description: 'When the campaign is completed', examples: ['2030-03-31T18:00:00.000Z'] }),
  timezone: CampaignTimezone.nullable().meta({
    description: 'The time zone of leads that have none; by default that of the tenant',
    examples: ['Europe/Berlin'],
  }),
  sendWindow: SendWindow.nullable().describe('When messages are sent, in the time zone of the lead'),
  topicId: id('topic').nullable().describe('The topic of the messages. Leads can unsubscribe from the topic alone.'),
  senderId: SenderId.nullable(),
  createdBy: id('user').nullable().describe('The user who created the record'),
  ownerId: OwnerId,
  teamId: TeamId,
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
  whenMissing: { record: { phase: 'draft' } },
});

export const campaignUpdated = event('campaign.updated', {
  description: 'A campaign is updated',
  action: 'campaign.update',
  target: 'campaign',
  data: z.object({ campaignId: id('campaign'), fields: z.array(z.string()) }),
  record: Campaign,
  whenMissing: { record: { phase: 'draft' } },
});

const changed = (name: string, description: string, action: string) =>
  event(name, {
    description,
    action,
    target: 'campaign',
    data: z.object({ campaignId: id('campaign') }),
    record: Campaign,
  });

export const campaignActivated = changed('campaign.activated', 'A campaign is activated', 'campaign.activate');
export const campaignPaused = changed('campaign.paused', 'A campaign is paused', 'campaign.pause');
export const campaignResumed = changed('campaign.resumed', 'A campaign is resumed', 'campaign.resume');
export const campaignCompleted = changed('campaign.completed', 'A campaign is completed', 'campaign.complete');
export const campaignDeleted = changed('campaign.deleted', 'A campaign is deleted', 'campaign.delete');

/**
 * A campaign is paused when more than these shares of its messages bounce or are reported as spam: of at least `sentMin`
 * messages, and by at least `complaintsMin` complaints.
 */
export const healthLimits = { bounceRate: 0.05, complaintRate: 0.003, sentMin: 50, complaintsMin: 2 } as const;

const rate = (what: string) => z.number().meta({ description: what, examples: [0.062] });
const count = (what: string) => z.int().meta({ description: what, examples: [62] });

export const campaignAutoPaused = event('campaign.auto_paused', {
  description: `A campaign is paused by the system: after at least ${healthLimits.sentMin} messages, more than ${healthLimits.bounceRate * 100} % of them bounced, or at least ${healthLimits.complaintsMin} and more than ${healthLimits.complaintRate * 100} % were reported as spam`,
  action: 'campaign.auto_pause',
  target: 'campaign',
  data: z.object({
    campaignId: id('campaign'),
    reason: z
      .enum(['bounces', 'complaints'])
      .meta({ description: 'The rate that exceeded its limit', examples: ['bounces'] }),
    sent: count('Messages that were sent since the last automatic pause'),
    bounced: count('How many of them bounced'),
    complained: count('How many of them were reported as spam'),
    bounceRate: rate('The share of those that bounced'),
    complaintRate: rate('The share of those that were reported as spam'),
  }),
  record: Campaign,
});
