import { event, flag, freeForm, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const engagementTypes = [
  'email_open',
  'link_click',
  'email_reply',
  'email_bounce',
  'email_complaint',
  'email_sent',
  'sms_sent',
  'form_submission',
  'page_visit',
] as const;

export const EngagementType = z.enum(engagementTypes).describe('The type of the event');
// Messages and workflow runs may belong to another system of the customer, so any text is allowed.
const Name = text(64).min(1, { error: 'Must not be empty' });

export const EngagementEvent = z.object({
  id: id('engagement_event'),
  tenantId: id('tenant'),
  type: EngagementType,
  leadId: id('lead').nullable().describe('The lead that caused the event'),
  messageId: text(64)
    .nullable()
    .meta({ description: 'The id of the message in the system that sent it', examples: ['msg-20260302-0017'] }),
  workflowExecutionId: text(64)
    .nullable()
    .meta({ description: 'The id of the workflow run that sent the message', examples: ['welcome-0042'] }),
  timestamp: timestamp().describe('When the event happened'),
  insertId: text(64)
    .nullable()
    .meta({
      description: 'A unique id that you choose for the event; an event with the same id is recorded only once',
      examples: ['open-msg-20260302-0017'],
    }),
  properties: freeForm().meta({ examples: [{ subject: 'Spring offer' }] }),
  automated: z.boolean().meta({
    description:
      'Whether the event was caused by software instead of a person, for example by a security scanner that opens every link',
    examples: [false],
  }),
  createdAt: timestamp(),
});

export const engagementRecorded = event('engagement.recorded', {
  description: 'An open, click, reply or visit is recorded',
  action: 'engagement.record',
  target: 'engagement_event',
  audited: false,
  data: z.object({ eventId: id('engagement_event'), type: EngagementType, leadId: id('lead').nullable() }),
  record: EngagementEvent,
});

export const engagement = operations({
  recordEvent: {
    method: 'POST',
    path: '/v1/analytics/events',
    permission: 'analytics:write',
    summary: 'Record an engagement event',
    description:
      'If an event with the same `insertId` exists, the response is 200 with that event, and no new event is recorded.',
    body: z.object({
      eventType: EngagementType.meta({ examples: ['email_open'] }),
      leadId: id('lead').nullish(),
      messageId: Name.nullish(),
      workflowExecutionId: Name.nullish(),
      timestamp: timestamp()
        .nullish()
        .describe('When the event happened: not before the year 2000 and at most 24 hours ahead. Defaults to now.'),
      insertId: Name.nullish(),
      properties: freeForm().optional(),
      automated: z.boolean().optional(),
    }),
    reply: EngagementEvent,
    status: 201,
    mayExist: true,
    message: 'Event recorded',
    emits: [engagementRecorded],
  },
  listRecordedEvents: {
    method: 'GET',
    path: '/v1/analytics/events',
    permission: 'analytics:read',
    summary: 'List engagement events',
    description: 'Automated events are excluded unless `includeAutomated` is true.',
    query: listQuery(['timestamp', 'createdAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        type: EngagementType.optional(),
        leadId: id('lead').optional(),
        workflowExecutionId: text(64)
          .meta({ examples: ['welcome-0042'] })
          .optional(),
        from: timestamp().describe('Return only events that happened at this time or later').optional(),
        to: timestamp().describe('Return only events that happened at this time or earlier').optional(),
        includeAutomated: flag().describe('Whether to include automated events').optional(),
      }),
    reply: page(EngagementEvent),
    message: 'Events retrieved',
  },
});
