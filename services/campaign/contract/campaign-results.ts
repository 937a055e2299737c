import { id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { WorkflowExecutionStatus } from './executions.ts';

const count = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

/** Counts of messages. A message counts once per column, however often it was opened. */
const figures = {
  sent: count('Messages that the mail server or provider accepted', 120),
  delivered: count('Messages whose delivery was confirmed', 118),
  opened: count('Messages that a person opened', 60),
  openedByMachine: count('Messages that only software opened, such as a mail proxy', 20),
  clicked: count('Messages in which a person clicked a link', 12),
  clickedByMachine: count('Messages in which only software followed a link, such as a scanner', 3),
  replied: count('Messages that a person answered', 4),
  bounced: count('Messages that bounced', 2),
  complained: count('Messages that were reported as spam'),
  unsubscribed: count('Messages by which a person unsubscribed', 1),
  skipped: count('Messages that were not sent for a reason'),
  failed: count('Messages that were refused'),
  uncertain: count('Messages that may have been sent'),
};

export const CampaignStats = z.object({
  campaignId: id('campaign'),
  recipients: count('Leads that entered a sequence of the campaign', 120),
  conversions: count('Leads that were converted after a message of the campaign', 3),
  messages: z.object(figures).describe('The figures of all messages'),
  nodes: z
    .array(
      z.object({
        workflowId: id('workflow').describe('The sequence'),
        nodeId: name(100).meta({ description: 'The node', examples: ['email-1'] }),
        variant: text(50)
          .nullable()
          .meta({ description: 'The variant of a test', examples: [null] }),
        ...figures,
      }),
    )
    .describe('The figures by node and variant, at most 1,000'),
  links: z
    .array(
      z.object({
        url: text(2000).meta({ description: 'The target of the link', examples: ['https://example.com/offer'] }),
        clicks: count('How often people clicked it', 15),
        people: count('How many leads clicked it', 12),
        clicksByMachine: count('How often software followed it', 3),
      }),
    )
    .describe('The 100 links that people clicked most'),
  skipReasons: z
    .record(z.string(), z.int())
    .meta({ description: 'The skipped messages by reason', examples: [{ suppressed: 2 }] }),
});

/** A lead in a sequence of a campaign. */
export const CampaignRecipient = z.object({
  leadId: id('lead'),
  workflowId: id('workflow').describe('The sequence'),
  executionId: id('workflow_execution').describe('The execution of the sequence for the lead'),
  status: WorkflowExecutionStatus.meta({ examples: ['waiting'] }),
  endReason: text(200)
    .nullable()
    .meta({ description: 'Why the execution ended: completed, goal, reply, unsubscribe, …', examples: [null] }),
  sent: count('Messages that were sent to the lead', 1),
  opened: count('Messages that the lead opened', 1),
  clicked: count('Messages in which the lead clicked a link'),
  replied: count('Messages that the lead answered'),
  skipped: count('Messages that were not sent for a reason'),
  uncertain: count('Messages that may have been sent'),
  startedAt: timestamp().describe('When the lead entered the sequence'),
  endedAt: timestamp().nullable().describe('When the execution ended'),
});

const ofCampaign = z.object({ id: id('campaign') });
const read = { permission: 'campaigns:read', narrows: true } as const;

export const campaignResults = operations({
  getCampaignStats: {
    method: 'GET',
    path: '/v1/campaigns/:id/stats',
    ...read,
    summary: 'Retrieve the figures of a campaign',
    description:
      'Opens and clicks of software, such as link scanners and mail proxies, are counted apart. Test messages are not counted.',
    params: ofCampaign,
    reply: CampaignStats,
    message: 'Figures retrieved',
  },
  listRecipients: {
    method: 'GET',
    path: '/v1/campaigns/:id/recipients',
    ...read,
    summary: 'List the recipients of a campaign',
    description: 'Returns each execution of a sequence of the campaign, with what happened to its messages.',
    params: ofCampaign,
    query: listQuery(['startedAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({ status: WorkflowExecutionStatus.optional(), leadId: id('lead').optional() }),
    reply: page(CampaignRecipient),
    message: 'Recipients retrieved',
  },
});
