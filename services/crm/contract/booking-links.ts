import {
  code,
  email,
  event,
  flag,
  id,
  listQuery,
  media,
  name,
  operations,
  page,
  text,
  timestamp,
  timeZone,
} from '@tandem/contract';
import { z } from 'zod';
import { calendarUsersMax } from './availability.ts';
import { calendarEventCreated } from './calendar-event.ts';
import { leadCreated } from './lead.ts';

/** Maximum number of questions of a booking link. */
export const questionsMax = 20;
/** How often a link can be booked: within an hour, and by one e-mail address for times ahead. */
export const bookingLimits = { perHour: 30, aheadPerAddress: 3 } as const;
/** Maximum number of slots on a booking page. */
export const bookingSlotsMax = 500;

export const HostMode = z
  .enum(['any', 'all', 'round_robin'])
  .describe(
    '`any`: the first host who is free; `all`: every host attends; `round_robin`: the free host whose turn is next',
  );

export const BookingQuestion = z.object({
  key: code(50).meta({ description: 'Identifies the question in answers', examples: ['company_size'] }),
  label: name(200).meta({ description: 'The text of the question', examples: ['How many people work for you?'] }),
  required: z.boolean().describe('Whether an answer is required').default(false),
});

const Title = name(200).meta({ examples: ['Intro call'] });
const Duration = z.int().min(5).max(480);
const Notice = z.int().min(0).max(43_200);
const Horizon = z.int().min(1).max(180);
const JoinUrl = z.url({ protocol: /^https$/, error: 'Must be a URL that begins with https://' }).max(2000);

export const BookingLink = z.object({
  id: id('booking_link'),
  slug: z
    .string()
    .meta({ description: 'The last part of the public address', examples: ['intro-call-I9Lchl0YhMgLRmeX'] }),
  url: z.string().meta({
    description: 'The public page on which people book',
    examples: ['https://api.example.com/book/intro-call-I9Lchl0YhMgLRmeX'],
  }),
  title: Title,
  description: text(2000)
    .nullable()
    .meta({ examples: ['We answer your questions'] }),
  durationMinutes: Duration.describe('The length of a booking in minutes'),
  hostIds: z.array(id('user')).describe('The users with whom people book'),
  hostMode: HostMode,
  questions: z.array(BookingQuestion).describe('Questions to people who book'),
  noticeMinutes: Notice.describe('How many minutes ahead a booking must be made'),
  horizonDays: Horizon.describe('How many days ahead people can book'),
  location: text(500)
    .nullable()
    .meta({ description: 'The place', examples: [null] }),
  joinUrl: z
    .string()
    .nullable()
    .meta({ description: 'The address of the video call', examples: ['https://meet.example.com/abc'] }),
  active: z.boolean().describe('Whether people can book'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const linkEvent = { target: 'booking_link', record: BookingLink } as const;
const linkId = { bookingLinkId: id('booking_link') };

export const bookingLinkCreated = event('booking_link.created', {
  ...linkEvent,
  description: 'A booking link is created',
  action: 'booking_link.create',
  data: z.object(linkId),
});

export const bookingLinkUpdated = event('booking_link.updated', {
  ...linkEvent,
  description: 'A booking link is changed',
  action: 'booking_link.update',
  data: z.object({
    ...linkId,
    fields: z.array(z.string()),
    reason: text(500).describe('Why the platform changed the link').optional(),
  }),
});

export const bookingLinkDeleted = event('booking_link.deleted', {
  ...linkEvent,
  description: 'A booking link is deleted',
  action: 'booking_link.delete',
  data: z.object(linkId),
});

const hosts = z
  .array(id('user'))
  .min(1, { error: 'Must name at least one user' })
  .max(calendarUsersMax, { error: `Must name at most ${calendarUsersMax} users` });
const questions = z.array(BookingQuestion).max(questionsMax, { error: `Must have at most ${questionsMax} questions` });

const optional = {
  description: text(2000).nullish(),
  location: text(500).nullish(),
  joinUrl: JoinUrl.nullish(),
};
const withId = z.object({ id: id('booking_link') });
const slugTaken = { slug_taken: [409, 'Another booking link has this slug; choose another one'] } as const;

export const bookingLinks = operations({
  createBookingLink: {
    method: 'POST',
    path: '/v1/calendar/booking-links',
    permission: 'calendar:write',
    narrows: true,
    summary: 'Create a booking link',
    description:
      'The public address is made of `slug`, by default the title, and a code of the tenant. `hostIds` defaults to the acting user.',
    body: z.object({
      title: Title,
      slug: z
        .string()
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Must be lower-case letters and digits, separated by dashes' })
        .max(60)
        .meta({ description: 'The readable part of the address', examples: ['intro-call'] })
        .optional(),
      durationMinutes: Duration,
      hostIds: hosts.optional(),
      hostMode: HostMode.default('any'),
      questions: questions.default([]),
      noticeMinutes: Notice.default(60),
      horizonDays: Horizon.default(30),
      active: z.boolean().default(true),
      ...optional,
    }),
    reply: BookingLink,
    status: 201,
    message: 'Booking link created',
    emits: [bookingLinkCreated],
    errors: slugTaken,
  },
  listBookingLinks: {
    method: 'GET',
    path: '/v1/calendar/booking-links',
    permission: 'calendar:read',
    narrows: true,
    summary: 'List booking links',
    query: listQuery(['createdAt', 'updatedAt', 'title']).omit({ search: true }).extend({ active: flag().optional() }),
    reply: page(BookingLink),
    message: 'Booking links retrieved',
  },
  getBookingLink: {
    method: 'GET',
    path: '/v1/calendar/booking-links/:id',
    permission: 'calendar:read',
    narrows: true,
    summary: 'Retrieve a booking link',
    params: withId,
    reply: BookingLink,
    message: 'Booking link retrieved',
  },
  updateBookingLink: {
    method: 'PATCH',
    path: '/v1/calendar/booking-links/:id',
    permission: 'calendar:write',
    narrows: true,
    summary: 'Update a booking link',
    description: 'The slug stays, because people may have the address.',
    params: withId,
    body: z.object({
      title: Title.optional(),
      durationMinutes: Duration.optional(),
      hostIds: hosts.optional(),
      hostMode: HostMode.optional(),
      questions: questions.optional(),
      noticeMinutes: Notice.optional(),
      horizonDays: Horizon.optional(),
      active: z.boolean().optional(),
      ...optional,
    }),
    reply: BookingLink,
    message: 'Booking link updated',
    emits: [bookingLinkUpdated],
  },
  deleteBookingLink: {
    method: 'DELETE',
    path: '/v1/calendar/booking-links/:id',
    permission: 'calendar:delete',
    narrows: true,
    summary: 'Delete a booking link',
    description: 'Booked events stay.',
    params: withId,
    reply: z.object({ id: id('booking_link'), deleted: z.literal(true).describe('Always true') }),
    message: 'Booking link deleted',
    emits: [bookingLinkDeleted],
  },
});

const HostNames = z.array(z.string());

/** A booking link as people see it who book. */
export const BookingOffer = z.object({
  title: Title,
  hostNames: HostNames.meta({
    description: 'The names of the active hosts; empty if they cannot be read at the moment',
    examples: [['Grace Hopper']],
  }),
  hostMode: HostMode,
  description: BookingLink.shape.description,
  durationMinutes: BookingLink.shape.durationMinutes,
  location: BookingLink.shape.location,
  questions: BookingLink.shape.questions,
  timezone: z
    .string()
    .meta({ description: 'The time zone (IANA) in which the page shows the slots', examples: ['Europe/Berlin'] }),
  slots: z
    .array(
      z.object({
        startAt: timestamp().describe('When the slot begins'),
        endAt: timestamp().describe('When the slot ends'),
      }),
    )
    .describe(`Times that can be booked, by time; at most ${bookingSlotsMax}`),
});

export const Booking = z.object({
  title: Title,
  hostNames: HostNames.meta({
    description: 'The names of the hosts who attend; empty if they cannot be read at the moment',
    examples: [['Grace Hopper']],
  }),
  startAt: timestamp().describe('When the event begins'),
  endAt: timestamp().describe('When the event ends'),
  timezone: z.string().meta({ description: 'The time zone (IANA) of the event', examples: ['Europe/Berlin'] }),
  location: BookingLink.shape.location,
  joinUrl: BookingLink.shape.joinUrl,
});

const withSlug = z.object({
  slug: z
    .string()
    .max(120)
    .meta({ description: 'The last part of the public address', examples: ['intro-call-I9Lchl0YhMgLRmeX'] }),
});

export const bookings = operations({
  getBookingOffer: {
    method: 'GET',
    path: '/v1/public/booking/:slug',
    audience: 'public',
    summary: 'Retrieve the free times of a booking link',
    params: withSlug,
    query: z.object({
      from: timestamp().describe('Return only slots that begin at this time or later').optional(),
      to: timestamp().describe('Return only slots that begin before this time').optional(),
    }),
    reply: BookingOffer,
    message: 'Free times retrieved',
  },
  bookTime: {
    method: 'POST',
    path: '/v1/public/booking/:slug',
    audience: 'public',
    summary: 'Book a time',
    description: `Creates an event with the person as attendee, who gets a confirmation by mail, and a lead unless one has the e-mail address. The answers are the description of the event, which the confirmation and later messages leave out. An address can have ${bookingLimits.aheadPerAddress} bookings ahead, and a link is booked at most ${bookingLimits.perHour} times an hour. The lead is created without custom fields, also required ones: the page asks the questions of the link instead.`,
    params: withSlug,
    body: z.object({
      startAt: timestamp(),
      name: name(200).meta({ examples: ['Ada Lovelace'] }),
      email: email(),
      timezone: timeZone().describe('The time zone (IANA) of the person').optional(),
      answers: z
        .record(z.string().max(50), text(2000))
        .refine((answers) => Object.keys(answers).length <= questionsMax, {
          error: `Must have at most ${questionsMax} answers`,
        })
        .meta({ description: 'The answers, by the key of the question', examples: [{ company_size: '12' }] })
        .optional(),
    }),
    reply: Booking,
    status: 201,
    message: 'Your booking is confirmed',
    emits: [calendarEventCreated, leadCreated],
    errors: {
      slot_taken: [409, 'This time is not free any more; choose another one'],
      too_many_bookings: [
        409,
        `This e-mail address has ${bookingLimits.aheadPerAddress} bookings ahead; ask your host to cancel one of them first`,
      ],
      booking_limit: [429, 'Too many people are booking at the moment; try again later'],
      mail_limit: [429, 'No more bookings are possible today; try again tomorrow'],
    },
  },
  showBookingPage: {
    method: 'GET',
    path: '/book/:slug',
    audience: 'public',
    summary: 'Show the page to book a time',
    description: 'Returns an HTML page. Opening it changes nothing.',
    params: withSlug,
    reply: media('text/html'),
    message: 'The HTML page',
  },
});
