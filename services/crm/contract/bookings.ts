import { email, media, name, operations, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { BookingLink, HostMode, questionsMax } from './booking-links.ts';
import { calendarEventCreated } from './calendar-event.ts';
import { leadCreated } from './lead.ts';

/** How often a link can be booked: within an hour, and by one e-mail address for times ahead. */
export const bookingLimits = { perHour: 30, aheadPerAddress: 3 } as const;
/** Maximum number of slots on a booking page. */
export const bookingSlotsMax = 500;

const HostNames = z.array(z.string());

/** A booking link as people see it who book. */
export const BookingOffer = z.object({
  title: BookingLink.shape.title,
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
  title: BookingLink.shape.title,
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
    description: `Creates an event with the person as attendee, who gets a confirmation by mail, and a lead unless one has the e-mail address. The answers are in the description of the event. Messages to the person leave the description out until a user changes it, and then have the whole text. The sandbox sends no mail. An address can have ${bookingLimits.aheadPerAddress} bookings ahead, and a link is booked at most ${bookingLimits.perHour} times an hour. The lead is created without custom fields, also required ones: the page asks the questions of the link instead.`,
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
