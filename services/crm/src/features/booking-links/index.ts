import type { bookingLinks, bookings } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { bookTime } from './book-time.ts';
import { createBookingLink } from './create-booking-link.ts';
import { deleteBookingLink } from './delete-booking-link.ts';
import { getBookingLink } from './get-booking-link.ts';
import { getBookingOffer } from './get-booking-offer.ts';
import { listBookingLinks } from './list-booking-links.ts';
import { showBookingPage } from './show-booking-page.ts';
import { updateBookingLink } from './update-booking-link.ts';

export const bookingLinkHandlers = (tools: CalendarTools) =>
  ({
    createBookingLink: createBookingLink(tools),
    listBookingLinks: listBookingLinks(tools),
    getBookingLink: getBookingLink(tools),
    updateBookingLink: updateBookingLink(tools),
    deleteBookingLink: deleteBookingLink(tools),
    getBookingOffer: getBookingOffer(tools),
    bookTime: bookTime(tools),
    showBookingPage: showBookingPage(tools),
  }) satisfies Handlers<typeof bookingLinks & typeof bookings, Tx>;
