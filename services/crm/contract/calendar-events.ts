import { id, listQuery, media, operations, page, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  AttendeeAnswer,
  CalendarEvent,
  CalendarEventStatus,
  CalendarTitle,
  calendarEventCancelled,
  calendarEventCompleted,
  calendarEventCreated,
  calendarEventDeleted,
  calendarEventResponded,
  calendarEventUpdated,
  eventDaysMax,
  optionalEventFields,
} from './calendar-event.ts';

/** Which occurrences of a series a change affects. */
const seriesScope = z.object({
  scope: z
    .enum(['this', 'following', 'all'])
    .describe(
      'For a series: whether the change affects one occurrence, this and the following ones, or all. Defaults to `all`; required to complete a series',
    )
    .optional(),
  originalStartAt: timestamp()
    .describe('The start of the occurrence, as the series has it; required with `scope` `this` or `following`')
    .optional(),
});

const withId = z.object({ id: id('calendar_event') });
const mailLimit = {
  mail_limit: [429, 'The tenant has sent as many messages as it may today; invite fewer people by e-mail'],
} as const;
const changed = [calendarEventCreated, calendarEventUpdated, calendarEventCancelled, calendarEventDeleted] as const;
const further = [
  { permission: 'leads:read', for: 'leadId' },
  { permission: 'opportunities:read', for: 'opportunityId' },
] as const;

export const calendarEvents = operations({
  createCalendarEvent: {
    method: 'POST',
    path: '/v1/calendar/events',
    permission: 'calendar:write',
    also: further,
    narrows: true,
    checksPermissions: true,
    summary: 'Create a calendar event',
    description: `The acting user organizes the event. People with an e-mail address get an invitation with a link to answer, users a notification. The sandbox sends no mail. \`timezone\` defaults to that of the tenant. At most ${eventDaysMax} days; an event for whole days is widened to them.`,
    body: z.object({ title: CalendarTitle, startAt: timestamp(), endAt: timestamp(), ...optionalEventFields }),
    example: {
      attendees: [
        { userId: null, email: 'ada@example.com', name: 'Ada Lovelace', response: 'pending', respondedAt: null },
      ],
    },
    reply: CalendarEvent,
    status: 201,
    message: 'Event created',
    emits: [calendarEventCreated],
    errors: mailLimit,
  },
  listCalendarEvents: {
    method: 'GET',
    path: '/v1/calendar/events',
    permission: 'calendar:read',
    narrows: true,
    summary: 'List calendar events',
    description:
      'A series is one record; `GET /v1/calendar` returns its occurrences. `search` covers the title. Callers with narrowed permission see events that they organize or attend. `search`, `leadId` and `opportunityId` find private events only for their organizer.',
    query: listQuery(['startAt', 'createdAt', 'updatedAt']).extend({
      status: CalendarEventStatus.optional(),
      organizerId: id('user').optional(),
      leadId: id('lead').optional(),
      opportunityId: id('opportunity').optional(),
      startFrom: timestamp().describe('Return only events that begin at this time or later').optional(),
      startTo: timestamp().describe('Return only events that begin at this time or earlier').optional(),
    }),
    reply: page(CalendarEvent),
    message: 'Events retrieved',
  },
  getCalendarEvent: {
    method: 'GET',
    path: '/v1/calendar/events/:id',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Retrieve a calendar event',
    params: withId,
    reply: CalendarEvent,
    message: 'Event retrieved',
  },
  downloadCalendarEvent: {
    method: 'GET',
    path: '/v1/calendar/events/:id/ics',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Download a calendar event',
    description: 'Returns the event, for a series with its changed occurrences, as an iCalendar file (RFC 5545).',
    params: withId,
    reply: media('text/calendar'),
    message: 'The iCalendar file',
  },
  updateCalendarEvent: {
    method: 'PATCH',
    path: '/v1/calendar/events/:id',
    permission: 'calendar:write',
    also: further,
    narrows: true,
    summary: 'Update a calendar event',
    description:
      'Only scheduled events. `attendees` replaces the attendees; those who stay keep their answers, and people with an e-mail address are notified of changes. With `scope=this` the occurrence becomes an event of its own, which is returned; with `following` the series ends before the occurrence, and the new series is returned. A change of time or rule removes changed occurrences. A `status` completes or cancels the event after the other changes, and is not possible with `following`; to complete a series, `scope` is required.',
    params: withId,
    query: seriesScope,
    body: z.object({
      title: CalendarTitle.optional(),
      startAt: timestamp().optional(),
      endAt: timestamp().optional(),
      status: CalendarEventStatus.optional(),
      ...optionalEventFields,
    }),
    example: {
      attendees: [
        { userId: null, email: 'ada@example.com', name: 'Ada Lovelace', response: 'pending', respondedAt: null },
      ],
    },
    reply: CalendarEvent,
    message: 'Event updated',
    emits: [...changed, calendarEventCompleted],
    errors: { transition_refused: sharedErrors.transition_refused, ...mailLimit },
  },
  deleteCalendarEvent: {
    method: 'DELETE',
    path: '/v1/calendar/events/:id',
    permission: 'calendar:delete',
    narrows: true,
    summary: 'Delete a calendar event',
    description:
      'Attendees of a scheduled event are notified that it is cancelled. Of a series, `scope=this` cancels the occurrence, and `following` ends the series before it.',
    params: withId,
    query: seriesScope,
    reply: z.object({ id: id('calendar_event'), deleted: z.literal(true).describe('Always true') }),
    message: 'Event deleted',
    emits: changed,
    errors: mailLimit,
  },
  completeCalendarEvent: {
    method: 'POST',
    path: '/v1/calendar/events/:id/complete',
    permission: 'calendar:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Mark a calendar event as complete',
    description:
      'A series requires `scope`: `this` completes one occurrence, which is returned, and `all` the whole series.',
    params: withId,
    query: seriesScope,
    reply: CalendarEvent,
    message: 'Event completed',
    emits: [calendarEventCompleted],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  cancelCalendarEvent: {
    method: 'POST',
    path: '/v1/calendar/events/:id/cancel',
    permission: 'calendar:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Cancel a calendar event',
    description:
      'Attendees are notified, with the reason. Of a series, `scope=this` cancels one occurrence, which is returned, and `following` ends the series before the occurrence.',
    params: withId,
    query: seriesScope,
    body: z
      .object({ reason: text(500).nullish().describe('The reason, which attendees read') })
      .meta({ examples: [{ reason: 'The customer is ill' }] }),
    reply: CalendarEvent,
    message: 'Event cancelled',
    emits: [calendarEventCancelled, calendarEventUpdated, calendarEventDeleted],
    errors: { transition_refused: sharedErrors.transition_refused, ...mailLimit },
  },
  respondToCalendarEvent: {
    method: 'POST',
    path: '/v1/calendar/events/:id/respond',
    permission: 'calendar:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Answer an invitation',
    description:
      'For the acting user, who must be an attendee. An answer to a series also applies to its changed occurrences, except those that the user has answered themselves.',
    params: withId,
    body: z.object({ response: AttendeeAnswer }),
    reply: CalendarEvent,
    message: 'Answer saved',
    emits: [calendarEventResponded],
    errors: {
      not_an_attendee: [403, 'You are not an attendee of this event'],
      event_cancelled: [409, 'The event is cancelled'],
    },
  },
});
