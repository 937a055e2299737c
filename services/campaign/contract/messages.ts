import { id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { MessageChannel } from './suppressions.ts';

export const messageStatuses = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'skipped',
  'failed',
] as const;
export const MessageStatus = z.enum(messageStatuses).describe('The status of the message');

const at = (what: string) => timestamp().nullable().describe(what);

export const Message = z.object({
  id: id('message').describe('The `messageId` of engagement events'),
  channel: MessageChannel,
  status: MessageStatus.meta({ examples: ['sent'] }),
  uncertain: z.boolean().meta({
    description: 'Whether the message may have been sent although no confirmation arrived. It is not sent again.',
    examples: [false],
  }),
  simulated: z
    .boolean()
    .meta({ description: 'Whether the message belongs to the sandbox and did not leave', examples: [false] }),
  leadId: id('lead'),
  recipient: text(320)
    .nullable()
    .meta({ description: 'The address or number; null once it was erased', examples: ['ada@example.com'] }),
  subject: text(500)
    .nullable()
    .meta({ description: 'The subject, once the message was rendered', examples: ['Welcome aboard'] }),
  campaignId: id('campaign').nullable(),
  workflowId: id('workflow').nullable(),
  executionId: id('workflow_execution').nullable().describe('The `workflowExecutionId` of engagement events'),
  nodeId: name(100)
    .nullable()
    .meta({ description: 'The node of the workflow', examples: ['email-1'] }),
  templateId: id('template').nullable().describe('The template of the content'),
  abTestId: id('ab_test').nullable().describe('The A/B test in which the message takes part'),
  variant: text(50)
    .nullable()
    .meta({ description: 'The variant of the A/B test, or the winner of an earlier one', examples: [null] }),
  skipReason: text(100)
    .nullable()
    .meta({
      description:
        'Why it was not sent: suppressed, no_consent, no_address, missing_value, mail_not_configured, sms_not_configured, …',
      examples: [null],
    }),
  error: text(500)
    .nullable()
    .meta({
      description: 'The answer of the mail server or SMS provider to the last attempt, if it failed',
      examples: [null],
    }),
  attempts: z.int().meta({ description: 'How often the platform tried to send it', examples: [1] }),
  sentAt: at('When the mail server or SMS provider accepted it'),
  deliveredAt: at('When the mail server of the recipient accepted it, as the provider reports'),
  openedAt: at('When a person first opened it'),
  clickedAt: at('When a person first clicked a link'),
  repliedAt: at('When the person first replied'),
  bouncedAt: at('When it bounced'),
  complainedAt: at('When the recipient reported it as spam'),
  unsubscribedAt: at('When the person unsubscribed by its link'),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const messages = operations({
  listMessages: {
    method: 'GET',
    path: '/v1/campaigns/messages',
    permission: 'campaigns:read',
    summary: 'List messages',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        leadId: id('lead').optional(),
        campaignId: id('campaign').optional(),
        workflowId: id('workflow').optional(),
        status: MessageStatus.optional(),
      }),
    reply: page(Message),
    message: 'Messages retrieved',
  },
  getMessage: {
    method: 'GET',
    path: '/v1/campaigns/messages/:id',
    permission: 'campaigns:read',
    summary: 'Retrieve a message',
    params: z.object({ id: id('message') }),
    reply: Message,
    message: 'Message retrieved',
  },
});
