import type { bookingLinks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { asBookingLink } from './booking-link.ts';

export const listBookingLinks =
  (tools: CalendarTools): Handler<typeof bookingLinks.listBookingLinks> =>
  async ({ query: { active }, tx, list }) => {
    const page = await list({ model: tx.bookingLink, where: { ...(active !== undefined && { active }) } });
    return { ...page, items: page.items.map((row) => asBookingLink(row, tools)) };
  };
