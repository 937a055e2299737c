import { event, flag, freeForm, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const engagementTypes = [
  'email_open',
  'link_click',
  'email_reply',
  'email_bounce',
  'email_sent',
  'form_submission',
  'page_visit',
] as const;

const EngagementType = z.enum(engagementTypes, { error: `Must be one of ${engagementTypes.join(', ')}` });
// Messages and runs of workflows may be those of a system of the customer's own, so any name will do.
const Name = text(64).min(1, { error: 'Must not be empty' });

export const EngagementEvent = z.object({
  id: id('engagement_event'),
  tenantId: id('tenant'),
  type: EngagementType,
  leadId: id('lead').nullable(),
  /** Of the communication log. */
  messageId: text(64).nullable(),
  workflowExecutionId: text(64).nullable(),
  /** When it happened. */
  timestamp: timestamp(),
  insertId: text(64).nullable(),
  properties: freeForm(),
  /** Caused by a machine, such as a scanner that opens every link. */
  automated: z.boolean(),
  createdAt: timestamp(),
});

export const engagementRecorded = event('engagement.recorded', {
  description: 'Somebody opened, clicked, answered or visited something',
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
    description: 'An `insertId` that was used before answers 200 with the first record and records nothing.',
    body: z.object({
      eventType: EngagementType,
      leadId: id('lead').nullish(),
      messageId: Name.nullish(),
      workflowExecutionId: Name.nullish(),
      timestamp: timestamp().nullish().describe('Now unless given; from the year 2000 on, at most 24 hours ahead'),
      insertId: Name.nullish().describe('A name of your own for this event'),
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
    description: 'Those that machines caused are left out unless `includeAutomated` is true.',
    query: listQuery(['timestamp', 'createdAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        type: EngagementType.optional(),
        leadId: id('lead').optional(),
        workflowExecutionId: text(64).optional(),
        from: timestamp().optional(),
        to: timestamp().optional(),
        includeAutomated: flag().optional(),
      }),
    reply: page(EngagementEvent),
    message: 'Events retrieved',
  },
});
