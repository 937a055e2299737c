import { email, event, id, name, stateTable, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';

export const calendarEventStatuses = ['scheduled', 'completed', 'cancelled'] as const;
export const attendeeResponses = ['pending', 'accepted', 'tentative', 'declined'] as const;

/** Maximum number of attendees of an event. */
export const attendeesMax = 100;
/** Maximum length of an event, in days. */
export const eventDaysMax = 31;

/** Fields of an event whose change its attendees are notified of. */
export const notifiedEventFields: readonly string[] = [
  'title',
  'description',
  'startAt',
  'endAt',
  'timezone',
  'allDay',
  'location',
  'joinUrl',
  'recurrence',
];

export const CalendarEventStatus = z.enum(calendarEventStatuses).describe('The status of the event');
export const AttendeeResponse = z.enum(attendeeResponses).describe('What the attendee answered');
export const AttendeeAnswer = AttendeeResponse.exclude(['pending']).describe('The answer of the attendee');
export const Visibility = z
  .enum(['default', 'private'])
  .describe('`private`: only organizer and attendees see more than that the time is taken, or change the event');

export const calendarEventStates = stateTable<(typeof calendarEventStatuses)[number]>('CalendarEvent', {
  created: { scheduled: 'createCalendarEvent' },
  changes: {
    scheduled: { completed: 'completeCalendarEvent', cancelled: 'cancelCalendarEvent' },
    completed: {},
    cancelled: {},
  },
});

export const CalendarTitle = name(200).meta({ examples: ['Demo for Analytical Engines'] });
const Description = text(5000);
const Location = text(500);
const JoinUrl = z.url({ protocol: /^https$/, error: 'Must be a URL that begins with https://' }).max(2000);
const Recurrence = text(500).meta({
  description:
    'Recurrence rule (RFC 5545) without `RRULE:`, repeated at the same clock time in the time zone of the event',
  examples: ['FREQ=WEEKLY;BYDAY=MO;COUNT=10'],
});

export const CalendarAttendee = z.object({
  userId: id('user').nullable().describe('The user who is invited'),
  email: z
    .string()
    .nullable()
    .meta({ description: 'The address of a person who is not a user', examples: ['ada@example.com'] }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'The name of that person', examples: ['Ada Lovelace'] }),
  response: AttendeeResponse,
  respondedAt: timestamp().nullable().describe('When the attendee answered'),
});

export const CalendarEvent = z.object({
  id: id('calendar_event'),
  tenantId: id('tenant'),
  title: CalendarTitle.describe('The title; `Busy` if the event is private to others'),
  description: Description.nullable().meta({ description: 'Further text', examples: ['Show the second machine'] }),
  startAt: timestamp().meta({ description: 'When the event begins', examples: ['2026-03-10T09:00:00.000Z'] }),
  endAt: timestamp().meta({ description: 'When the event ends', examples: ['2026-03-10T10:00:00.000Z'] }),
  timezone: timeZone().describe('The time zone (IANA) of the event'),
  allDay: z.boolean().describe('Whether the event lasts whole days of its time zone'),
  status: CalendarEventStatus,
  allowedTransitions: z.array(CalendarEventStatus).meta({
    description: 'The statuses that this event can currently change to',
    examples: [['completed', 'cancelled']],
  }),
  location: Location.nullable().meta({ description: 'The place', examples: ['Room 4'] }),
  joinUrl: z
    .string()
    .nullable()
    .meta({ description: 'The address of the video call', examples: ['https://meet.example.com/abc'] }),
  visibility: Visibility,
  leadId: id('lead').nullable().describe('The lead that the event is about'),
  opportunityId: id('opportunity').nullable().describe('The opportunity that the event is about'),
  organizerId: id('user').nullable().describe('The user who organizes the event'),
  attendees: z.array(CalendarAttendee).describe('The invited users and other persons'),
  recurrence: Recurrence.nullable(),
  recurringEventId: id('calendar_event').nullable().describe('The series in which this event replaces one occurrence'),
  originalStartAt: timestamp()
    .nullable()
    .meta({ description: 'When the replaced occurrence of the series begins', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const eventParts = { target: 'calendar_event', record: CalendarEvent } as const;
const eventId = { calendarEventId: id('calendar_event') };

export const calendarEventCreated = event('calendar_event.created', {
  ...eventParts,
  description: 'An event is put into the calendar',
  action: 'calendar_event.create',
  data: z.object({ ...eventId, title: CalendarTitle }),
});

export const calendarEventUpdated = event('calendar_event.updated', {
  ...eventParts,
  description: 'Event fields are modified',
  action: 'calendar_event.update',
  data: z.object({ ...eventId, fields: z.array(z.string()) }),
});

export const calendarEventCancelled = event('calendar_event.cancelled', {
  ...eventParts,
  description: 'An event is cancelled',
  action: 'calendar_event.cancel',
  data: z.object({ ...eventId, reason: z.string().nullable() }),
});

export const calendarEventCompleted = event('calendar_event.completed', {
  ...eventParts,
  description: 'An event is marked complete',
  action: 'calendar_event.complete',
  data: z.object(eventId),
});

export const calendarEventDeleted = event('calendar_event.deleted', {
  ...eventParts,
  description: 'An event is deleted',
  action: 'calendar_event.delete',
  data: z.object(eventId),
});

export const calendarEventResponded = event('calendar_event.responded', {
  ...eventParts,
  description: 'An attendee answers an invitation',
  action: 'calendar_event.respond',
  data: z.object({
    ...eventId,
    userId: id('user').nullable(),
    email: z.string().nullable(),
    response: AttendeeAnswer,
    byAnswerToSeries: z
      .boolean()
      .describe('Whether the attendee answered the series in which the event replaces one occurrence'),
  }),
  whenMissing: { data: { byAnswerToSeries: false } },
});

const Attendees = z
  .array(
    z.object({
      userId: id('user').optional(),
      email: email().optional(),
      name: name(200).optional(),
    }),
  )
  .max(attendeesMax, { error: `Must have at most ${attendeesMax} attendees` })
  .meta({
    description: 'Each attendee has a `userId` or an `email`',
    examples: [[{ email: 'ada@example.com', name: 'Ada' }]],
  });

/** The fields of an event that a request may leave out. */
export const optionalEventFields = {
  description: Description.nullish(),
  timezone: timeZone().optional(),
  allDay: z.boolean().optional(),
  location: Location.nullish(),
  joinUrl: JoinUrl.nullish(),
  visibility: Visibility.optional(),
  leadId: id('lead').nullish(),
  opportunityId: id('opportunity').nullish(),
  attendees: Attendees.optional(),
  recurrence: Recurrence.nullish(),
};
