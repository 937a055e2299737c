import { media, operations, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import {
  AttendeeAnswer,
  AttendeeResponse,
  CalendarEvent,
  CalendarEventStatus,
  CalendarTitle,
  calendarEventResponded,
} from './calendar-event.ts';

/** The link of an invitation, as the invited person sees it. */
export const Rsvp = z.object({
  title: CalendarTitle,
  startAt: CalendarEvent.shape.startAt,
  endAt: CalendarEvent.shape.endAt,
  timezone: CalendarEvent.shape.timezone,
  allDay: CalendarEvent.shape.allDay,
  status: CalendarEventStatus,
  location: CalendarEvent.shape.location,
  joinUrl: CalendarEvent.shape.joinUrl,
  recurrence: CalendarEvent.shape.recurrence,
  response: AttendeeResponse,
});

const RsvpToken = z
  .string()
  .max(2000)
  .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExample'] });
const withToken = z.object({ token: RsvpToken });
const linkErrors = { link_expired: sharedErrors.link_expired } as const;

export const rsvps = operations({
  getRsvp: {
    method: 'GET',
    path: '/v1/public/rsvp/:token',
    audience: 'public',
    summary: 'Retrieve an invitation by its link',
    params: withToken,
    reply: Rsvp,
    message: 'Invitation retrieved',
    errors: linkErrors,
  },
  answerRsvp: {
    method: 'POST',
    path: '/v1/public/rsvp/:token',
    audience: 'public',
    summary: 'Answer an invitation by its link',
    description:
      'An answer to a series also applies to its changed occurrences, except those that the person has answered themselves.',
    params: withToken,
    body: z.object({ response: AttendeeAnswer }),
    reply: Rsvp,
    message: 'Thank you for your answer',
    emits: [calendarEventResponded],
    errors: { ...linkErrors, event_cancelled: [409, 'The event is cancelled'] },
  },
  showRsvpPage: {
    method: 'GET',
    path: '/rsvp/:token',
    audience: 'public',
    summary: 'Show the page to answer an invitation',
    description: 'Returns an HTML page for the link of a message. Opening it changes nothing.',
    params: withToken,
    reply: media('text/html'),
    message: 'The HTML page',
    errors: linkErrors,
  },
});
