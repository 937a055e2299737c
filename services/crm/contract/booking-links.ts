import { code, event, flag, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { calendarUsersMax } from './availability.ts';

/** Maximum number of questions of a booking link. */
export const questionsMax = 20;

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
