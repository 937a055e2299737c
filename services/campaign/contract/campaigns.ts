import { id, listQuery, name, operations, page, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { abTestDeleted } from './ab-test.ts';
import {
  Campaign,
  CampaignStatus,
  CampaignTimezone,
  CampaignType,
  campaignActivated,
  campaignCompleted,
  campaignCreated,
  campaignDeleted,
  campaignPaused,
  campaignResumed,
  campaignUpdated,
  SenderId,
} from './campaign.ts';
import { landingPageUpdated } from './landing-page.ts';
import { NewOwnerId } from './owner.ts';
import { testSend } from './test-send.ts';
import { workflowCreated, workflowDeleted } from './workflow.ts';
import { SendWindow } from './workflow-settings.ts';

const byId = z.object({ id: id('campaign') });
const write = { permission: 'campaigns:write', narrows: true } as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;

const writable = {
  description: text(2000).nullish(),
  type: CampaignType.optional(),
  startAt: timestamp().nullish(),
  endAt: timestamp().nullish(),
  timezone: CampaignTimezone.nullish(),
  sendWindow: SendWindow.nullish(),
  topicId: id('topic').nullish(),
  senderId: SenderId.nullish(),
  ownerId: NewOwnerId,
};

export const campaigns = operations({
  createCampaign: {
    method: 'POST',
    path: '/v1/campaigns',
    ...write,
    summary: 'Create a campaign',
    description:
      '`type` defaults to `email`, and `status` to `draft`. A campaign that is created active has neither sequences nor an audience, so nobody is enrolled yet: a sequence takes leads by its trigger as soon as it is published. To set the audience, pause the campaign; resuming it checks what `activate` checks, and enrolls the audience.',
    body: z.object({ name: name(200), status: CampaignStatus.optional(), ...writable }),
    reply: Campaign,
    status: 201,
    message: 'Campaign created',
    emits: [campaignCreated, campaignActivated],
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
    params: byId,
    reply: Campaign,
    message: 'Campaign retrieved',
  },
  updateCampaign: {
    method: 'PATCH',
    path: '/v1/campaigns/:id',
    ...write,
    // leads:read, to activate or resume.
    checksPermissions: true,
    summary: 'Update a campaign',
    description:
      'The type, the start, the topic and the sender of an active campaign cannot change; pause it first. A completed campaign keeps everything but its name, description and owner. `status` activates, resumes, pauses or completes the campaign by the same rules as the operations for it, after the other changes; `active` needs `leads:read`.',
    params: byId,
    body: z.object({ name: name(200).optional(), status: CampaignStatus.optional(), ...writable }),
    reply: Campaign,
    message: 'Campaign updated',
    emits: [campaignUpdated, campaignActivated, campaignPaused, campaignResumed, campaignCompleted],
    errors: {
      ...refused,
      campaign_active: [409, 'The campaign is active; pause it before you change its type, start, topic or sender'],
      campaign_completed: [409, 'The campaign is completed; duplicate it to change it'],
    },
  },
  deleteCampaign: {
    method: 'DELETE',
    path: '/v1/campaigns/:id',
    permission: 'campaigns:delete',
    also: ['workflows:delete'],
    narrows: true,
    summary: 'Delete a campaign',
    description:
      'Deletes the campaign with its audience, sequences and A/B tests. Its landing pages and messages stay. An active campaign, one with leads in its sequences, one with a running A/B test, or one in whose sequences the published version of another workflow enrolls leads cannot be deleted.',
    params: byId,
    reply: z.object({ id: id('campaign'), deleted: z.literal(true).describe('Always true') }),
    message: 'Campaign deleted',
    emits: [campaignDeleted, workflowDeleted, landingPageUpdated, abTestDeleted],
    errors: {
      campaign_active: [409, 'The campaign is active; pause or complete it before you delete it'],
      live_executions: [409, 'Leads are in the sequences of this campaign; complete it to end their executions first'],
      campaign_in_test: [409, 'An A/B test of the campaign is running; stop it or declare its winner first'],
      workflow_in_use: [
        409,
        'Other workflows enroll leads in sequences of this campaign; publish them without the node, or archive them, first',
      ],
      campaign_in_use: [409, 'Sequences or landing pages that you cannot change belong to this campaign'],
    },
  },
  activateCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/activate',
    ...write,
    also: ['leads:read'],
    feature: 'workflows',
    summary: 'Activate a campaign',
    description:
      'Enrolls the leads of the audience that the caller can read into every published sequence of the campaign: now, or at `startAt`. Whatever is missing is listed with 422: a published sequence, an audience if no trigger starts the sequences, a verified sender, a mail server. So is a message node of a channel that the type of the campaign excludes.',
    params: byId,
    reply: Campaign,
    message: 'Campaign activated',
    emits: [campaignActivated],
    errors: refused,
  },
  pauseCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/pause',
    ...write,
    summary: 'Pause a campaign',
    description:
      'Nothing more is sent until the campaign is resumed, except the messages that are on their way to the mail server at that moment, at most 120. Waits continue to run; what falls due meanwhile happens after that.',
    params: byId,
    reply: Campaign,
    message: 'Campaign paused',
    emits: [campaignPaused],
    errors: refused,
  },
  resumeCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/resume',
    ...write,
    also: ['leads:read'],
    feature: 'workflows',
    summary: 'Resume a paused campaign',
    description:
      'Continues where the campaign was paused. Leads that joined the audience meanwhile are enrolled, and no lead twice.',
    params: byId,
    reply: Campaign,
    message: 'Campaign resumed',
    emits: [campaignResumed],
    errors: refused,
  },
  completeCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/complete',
    ...write,
    summary: 'Complete a campaign',
    description: 'Cancels the executions of its sequences, and takes no more leads. It cannot be undone.',
    params: byId,
    reply: Campaign,
    message: 'Campaign completed',
    emits: [campaignCompleted],
    errors: refused,
  },
  duplicateCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/duplicate',
    ...write,
    also: ['workflows:write'],
    summary: 'Duplicate a campaign',
    description:
      'Creates a draft with the same settings, audience and sequences, without `startAt` and `endAt`. The sequences are drafts too.',
    params: byId,
    body: z.object({ name: name(200).optional() }),
    reply: Campaign,
    status: 201,
    message: 'Campaign duplicated',
    emits: [campaignCreated, workflowCreated],
  },
  testSendCampaign: {
    method: 'POST',
    path: '/v1/campaigns/:id/test-send',
    ...write,
    also: [{ permission: 'leads:read', for: 'leadId' }],
    summary: 'Send a test of a campaign',
    description:
      'Sends an e-mail of a sequence, as it is in the draft, to up to 10 addresses: by default the first e-mail of the oldest sequence. They come from the address of the platform, not from the sender of the campaign. Test messages make no statistics. In the sandbox nothing is sent.',
    params: byId,
    body: testSend.body.extend({
      workflowId: id('workflow').describe('The sequence').optional(),
      nodeId: name(100)
        .meta({ description: 'The e-mail node', examples: ['email-1'] })
        .optional(),
    }),
    reply: testSend.reply.extend({
      workflowId: id('workflow').describe('The sequence of the e-mail'),
      nodeId: name(100).meta({ description: 'The node of the e-mail', examples: ['email-1'] }),
      missing: z
        .array(z.string())
        .meta({ description: 'Placeholders without a value, for which a real message is skipped', examples: [[]] }),
    }),
    status: 202,
    message: 'Test messages queued',
    emits: [],
    errors: {
      ...testSend.errors,
      no_email: [
        409,
        'The sequences of the campaign have no e-mail node; add one. Of SMS no tests are sent: use POST /v1/workflows/:id/test to see what a sequence sends',
      ],
    },
  },
});
