import {
  event,
  flag,
  freeForm,
  id,
  listQuery,
  operations,
  page,
  text,
  timestamp,
  withOrderedRanges,
} from '@tandem/contract';
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

/** An event as clients send it. */
export const SentEvent = z.object({
  eventType: EngagementType.meta({ examples: ['email_open'] }),
  leadId: id('lead').nullish(),
  messageId: Name.nullish().meta({
    description: 'The id of the message in the system that sent it',
    examples: ['msg-20260302-0017'],
  }),
  workflowExecutionId: Name.nullish().meta({
    description: 'The id of the workflow run that sent the message',
    examples: ['welcome-0042'],
  }),
  timestamp: timestamp()
    .nullish()
    .describe('When the event happened: not before the year 2000 and at most 24 hours ahead. Defaults to now.'),
  insertId: Name.nullish().meta({
    description: 'A unique id that you choose for the event; an event with the same id is recorded only once',
    examples: ['open-msg-20260302-0017'],
  }),
  properties: freeForm()
    .optional()
    .meta({ examples: [{ subject: 'Spring offer' }] }),
  automated: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether software caused the event instead of a person',
      examples: [false],
    }),
});

/** The most events of one request. */
export const eventsMax = 500;

const EventResult = z.object({
  index: z.int().meta({ description: 'The position of the event in the request, starting at 0', examples: [0] }),
  status: z
    .enum(['recorded', 'repeated', 'rejected'])
    .describe('`repeated` if an event with the same `insertId` exists, whose id is returned'),
  id: id('engagement_event').nullable().describe('The id of the event; null if it is rejected'),
  errors: z
    .array(
      z.object({
        field: z.string().meta({ description: 'The field of the event', examples: ['leadId'] }),
        message: z.string(),
      }),
    )
    .meta({ description: 'Why the event is rejected', examples: [[]] }),
});

export const engagement = operations({
  recordEvent: {
    method: 'POST',
    path: '/v1/analytics/events',
    permission: 'analytics:write',
    summary: 'Record an engagement event',
    description:
      'If an event with the same `insertId` exists, the response is 200 with that event, and no new event is recorded.',
    body: SentEvent,
    reply: EngagementEvent,
    status: 201,
    mayExist: true,
    message: 'Event recorded',
    emits: [engagementRecorded],
  },
  recordEvents: {
    method: 'POST',
    path: '/v1/analytics/events:batch',
    permission: 'analytics:write',
    summary: 'Record many engagement events',
    description: `Records up to ${eventsMax} events at once. An event that is malformed, or that has an unknown lead or a time out of range, is rejected, and the others are recorded.`,
    body: z.object({
      events: z
        .array(SentEvent)
        .min(1, 'Must contain at least 1 event')
        .max(eventsMax, `Must contain at most ${eventsMax} events`)
        .describe(`The events, at most ${eventsMax}`),
    }),
    bodyMax: 2 * 1024 * 1024,
    checksEach: 'events',
    reply: z.object({
      accepted: z.int().meta({ description: 'The number of events that are recorded or repeated', examples: [1] }),
      rejected: z.int().meta({ description: 'The number of events that are rejected', examples: [0] }),
      results: z.array(EventResult).describe('One result per event, in the order of the request'),
    }),
    message: 'Events recorded',
    emits: [engagementRecorded],
  },
  listRecordedEvents: {
    method: 'GET',
    path: '/v1/analytics/events',
    permission: 'analytics:read',
    // Events name leads, with what these did.
    also: ['leads:read'],
    summary: 'List engagement events',
    description:
      'Automated events are excluded unless `includeAutomated` is true. Callers who may read only own or team leads get the events of these leads: of the leads of the 10,000 latest events that match, or of `leadId`.',
    query: withOrderedRanges(
      listQuery(['timestamp', 'createdAt'])
        .omit({ search: true, createdFrom: true, createdTo: true })
        .extend({
          type: EngagementType.optional(),
          leadId: id('lead').optional(),
          workflowExecutionId: text(64)
            .meta({ examples: ['welcome-0042'] })
            .optional(),
          assignedTo: id('user')
            .describe('Return only events of leads that were assigned to this user at the time')
            .optional(),
          teamId: id('team').describe('Return only events of leads that belonged to this team at the time').optional(),
          from: timestamp().describe('Return only events that happened at this time or later').optional(),
          to: timestamp().describe('Return only events that happened at this time or earlier').optional(),
          includeAutomated: flag().describe('Whether to include automated events').optional(),
        }),
    ),
    reply: page(EngagementEvent),
    message: 'Events retrieved',
  },
});
