import {
  event,
  flag,
  id,
  idList,
  listQuery,
  operations,
  page,
  text,
  timestamp,
  timeZone,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Maximum number of users in a request about calendars. */
export const calendarUsersMax = 20;
/** Maximum length of a period in a request for free times. */
export const availabilityDaysMax = 31;

const Clock = (example: string) =>
  z
    .string()
    .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$/, { error: 'Must be a time such as 09:00' })
    .meta({ examples: [example] });

export const WorkingHours = z.object({
  day: z.enum(weekdays).describe('The day of the week'),
  start: Clock('09:00').describe('When the working hours begin'),
  end: Clock('17:00').describe('When the working hours end; `24:00` is the end of the day'),
});

const BufferMinutes = z.int().min(0).max(240);

export const UserAvailability = z.object({
  userId: id('user').describe('The user whose working hours these are'),
  timezone: timeZone().describe('The time zone (IANA) of the working hours'),
  weekly: z.array(WorkingHours).describe('The working hours of each day of the week, in order'),
  bufferBeforeMinutes: BufferMinutes.describe('Minutes that are kept free before each event'),
  bufferAfterMinutes: BufferMinutes.describe('Minutes that are kept free after each event'),
  isDefault: z.boolean().describe('Whether the user has not set working hours, so that the default hours apply'),
  version: z.int(),
  updatedAt: timestamp().nullable().describe('When the working hours were last set'),
});

/** A period in which somebody is not free. */
const BusyPeriod = z.object({
  userId: id('user').describe('The user who is not free'),
  startAt: timestamp().describe('When the period begins'),
  endAt: timestamp().describe('When the period ends'),
  type: z.enum(['event', 'time_off']).describe('Why the user is not free'),
});

const FreeSlot = z.object({
  startAt: timestamp().describe('When the slot begins'),
  endAt: timestamp().describe('When the slot ends'),
  userIds: z.array(id('user')).describe('The users who are free in this slot'),
});

export const Availability = z.object({
  from: timestamp().describe('The beginning of the period'),
  to: timestamp().describe('The end of the period'),
  timezone: z
    .string()
    .meta({ description: 'The time zone (IANA) whose full hours slots are aligned to', examples: ['Europe/Berlin'] }),
  busy: z.array(BusyPeriod).describe('When users are not free, by time. Buffers are not included'),
  slots: z.array(FreeSlot).describe('Free times within the working hours, by time'),
  isTruncated: z.boolean().describe('Whether there are more slots than the response has'),
});

const TimeOffReason = text(500);

export const TimeOff = z.object({
  id: id('time_off'),
  userId: id('user').describe('The user who is away'),
  from: timestamp().meta({ description: 'When the time off begins', examples: ['2026-08-03T22:00:00.000Z'] }),
  to: timestamp().meta({ description: 'When the time off ends', examples: ['2026-08-14T22:00:00.000Z'] }),
  reason: TimeOffReason.nullable().meta({ description: 'The reason', examples: ['Summer holiday'] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const availabilityUpdated = event('user_availability.updated', {
  description: 'The working hours of a user are set',
  action: 'user_availability.update',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record: z.object({ id: id('user'), timezone: z.string(), weekly: z.array(WorkingHours) }),
});

const timeOffEvent = { target: 'time_off', record: TimeOff } as const;

export const timeOffCreated = event('time_off.created', {
  ...timeOffEvent,
  description: 'Time off of a user is entered',
  action: 'time_off.create',
  data: z.object({ timeOffId: id('time_off'), userId: id('user') }),
});

export const timeOffUpdated = event('time_off.updated', {
  ...timeOffEvent,
  description: 'Time off of a user is changed',
  action: 'time_off.update',
  data: z.object({ timeOffId: id('time_off'), userId: id('user'), fields: z.array(z.string()) }),
});

export const timeOffDeleted = event('time_off.deleted', {
  ...timeOffEvent,
  description: 'Time off of a user is deleted',
  action: 'time_off.delete',
  data: z.object({ timeOffId: id('time_off'), userId: id('user') }),
});

const withUser = z.object({ userId: id('user') });
const withTimeOff = z.object({ id: id('time_off') });
const overlap = {
  time_off_overlaps: [409, 'The user has other time off in this period; change that one instead'],
} as const;

export const availability = operations({
  findAvailability: {
    method: 'GET',
    path: '/v1/calendar/availability',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Find free times of users',
    description: `Slots lie within the working hours of the users and outside of their events, time off and buffers. With \`mode=all\` all users are free in a slot, with \`any\` at least one. At most ${availabilityDaysMax} days.`,
    query: z.object({
      userIds: idList('user', calendarUsersMax).describe(`The users, separated by commas; at most ${calendarUsersMax}`),
      from: timestamp().describe('The beginning of the period'),
      to: timestamp().describe('The end of the period'),
      durationMinutes: wholeNumber(5, 1440).describe('The length of a slot in minutes').default(30),
      timezone: timeZone().optional(),
      mode: z.enum(['any', 'all']).describe('Whether all users must be free in a slot, or any of them').default('all'),
    }),
    reply: Availability,
    message: 'Availability retrieved',
  },
  getUserAvailability: {
    method: 'GET',
    path: '/v1/calendar/availability/:userId',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Retrieve the working hours of a user',
    description:
      'Without working hours of their own, users work Monday to Friday, 09:00 to 17:00, in the time zone of the tenant.',
    params: withUser,
    reply: UserAvailability,
    message: 'Working hours retrieved',
  },
  setUserAvailability: {
    method: 'PUT',
    path: '/v1/calendar/availability/:userId',
    permission: 'calendar:write',
    narrows: true,
    summary: 'Set the working hours of a user',
    description: 'Replaces all working hours. Periods of one day must not overlap.',
    params: withUser,
    body: z.object({
      timezone: timeZone(),
      weekly: z.array(WorkingHours).max(70, { error: 'Must have at most 70 periods' }),
      bufferBeforeMinutes: BufferMinutes.default(0),
      bufferAfterMinutes: BufferMinutes.default(0),
    }),
    reply: UserAvailability,
    message: 'Working hours set',
    emits: [availabilityUpdated],
  },
});

export const timeOff = operations({
  createTimeOff: {
    method: 'POST',
    path: '/v1/calendar/time-off',
    permission: 'calendar:write',
    narrows: true,
    summary: 'Enter time off of a user',
    description: '`userId` defaults to the acting user. At most 366 days.',
    body: z.object({
      userId: id('user').optional(),
      from: timestamp(),
      to: timestamp(),
      reason: TimeOffReason.nullish(),
    }),
    reply: TimeOff,
    status: 201,
    message: 'Time off created',
    emits: [timeOffCreated],
    errors: overlap,
  },
  listTimeOff: {
    method: 'GET',
    path: '/v1/calendar/time-off',
    permission: 'calendar:read',
    narrows: true,
    summary: 'List time off',
    query: listQuery(['from', 'createdAt'])
      .omit({ search: true })
      .extend({
        userId: id('user').optional(),
        current: flag()
          .describe('Return only time off that has not ended (`true`) or that has ended (`false`)')
          .optional(),
      }),
    reply: page(TimeOff),
    message: 'Time off retrieved',
  },
  getTimeOff: {
    method: 'GET',
    path: '/v1/calendar/time-off/:id',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Retrieve time off',
    params: withTimeOff,
    reply: TimeOff,
    message: 'Time off retrieved',
  },
  updateTimeOff: {
    method: 'PATCH',
    path: '/v1/calendar/time-off/:id',
    permission: 'calendar:write',
    narrows: true,
    summary: 'Change time off',
    params: withTimeOff,
    body: z.object({
      from: timestamp().optional(),
      to: timestamp().optional(),
      reason: TimeOffReason.nullish(),
    }),
    reply: TimeOff,
    message: 'Time off updated',
    emits: [timeOffUpdated],
    errors: overlap,
  },
  deleteTimeOff: {
    method: 'DELETE',
    path: '/v1/calendar/time-off/:id',
    permission: 'calendar:delete',
    narrows: true,
    summary: 'Delete time off',
    params: withTimeOff,
    ifMatch: true,
    reply: z.object({ id: id('time_off'), deleted: z.literal(true).describe('Always true') }),
    message: 'Time off deleted',
    emits: [timeOffDeleted],
  },
});
