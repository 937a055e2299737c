import { id, idList, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { calendarUsersMax } from './availability.ts';
import { CalendarEvent } from './calendar-event.ts';

/** Maximum length of a period of the calendar. */
export const calendarDaysMax = 92;
/** Maximum number of entries in one response. */
export const calendarEntriesMax = 2_000;

export const calendarEntryTypes = ['event', 'task', 'milestone', 'time_off'] as const;
type EntryType = (typeof calendarEntryTypes)[number];

const typesError = `Must be types separated by commas: ${calendarEntryTypes.join(', ')}`;
const EntryTypes = z.codec(
  z
    .string({ error: typesError })
    .refine((list) => list.split(',').every((type) => calendarEntryTypes.some((known) => known === type)), {
      error: typesError,
    }),
  z.array(z.enum(calendarEntryTypes)),
  { decode: (list) => [...new Set(list.split(','))] as EntryType[], encode: (types) => types.join(',') },
);

/** One entry of the calendar: an occurrence of an event, a task or milestone that is due, or time off. */
export const CalendarEntry = z.object({
  type: z.enum(calendarEntryTypes).describe('What the entry is'),
  eventId: id('calendar_event').nullable().describe('The event; for an occurrence of a series, the series'),
  taskId: id('task').nullable().describe('The task'),
  milestoneId: id('milestone').nullable().describe('The milestone'),
  timeOffId: id('time_off').nullable().describe('The time off'),
  title: z.string().meta({
    description: 'The title; `Busy` for a private event of others',
    examples: ['Demo for Analytical Engines'],
  }),
  startAt: timestamp().describe('When the entry begins; when a task or milestone is due'),
  endAt: timestamp().describe('When the entry ends; the same as `startAt` for a task or milestone'),
  allDay: z.boolean().describe('Whether the event lasts whole days'),
  status: z
    .string()
    .nullable()
    .meta({ description: 'The status of the record', examples: ['scheduled'] }),
  userId: id('user').nullable().describe('The organizer, the assignee or owner, or the user who is away'),
  location: CalendarEvent.shape.location,
  joinUrl: CalendarEvent.shape.joinUrl,
  leadId: CalendarEvent.shape.leadId,
  opportunityId: CalendarEvent.shape.opportunityId,
  originalStartAt: timestamp().nullable().describe('The occurrence of the series that the entry is'),
});

export const CalendarFeed = z.object({
  from: timestamp().describe('The beginning of the period'),
  to: timestamp().describe('The end of the period'),
  entries: z.array(CalendarEntry).describe('The entries by time'),
  isTruncated: z
    .boolean()
    .describe(
      `Whether there are more than ${calendarEntriesMax} entries; request a shorter period or fewer users then`,
    ),
});

export const calendar = operations({
  getCalendar: {
    method: 'GET',
    path: '/v1/calendar',
    permission: 'calendar:read',
    narrows: true,
    checksPermissions: true,
    summary: 'Retrieve the calendar',
    description: `Returns events with the occurrences of series, tasks and milestones that are due, and time off, in one list by time. At most ${calendarDaysMax} days and ${calendarEntriesMax} entries. \`userIds\` and \`teamId\` choose whose; without them, all that the caller can read. Tasks and milestones are left out if the caller cannot read them. Cancelled events are left out.`,
    query: z.object({
      from: timestamp().describe('The beginning of the period'),
      to: timestamp().describe('The end of the period'),
      userIds: idList('user', calendarUsersMax)
        .describe(`Return only entries of these users, separated by commas; at most ${calendarUsersMax}`)
        .optional(),
      teamId: id('team').describe('Return only entries of the members of this team').optional(),
      types: EntryTypes.describe(
        `Return only these types of entries, separated by commas: ${calendarEntryTypes.join(', ')}`,
      ).optional(),
    }),
    reply: CalendarFeed,
    message: 'Calendar retrieved',
  },
});
