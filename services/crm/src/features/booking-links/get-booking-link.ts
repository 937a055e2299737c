import type { bookingLinks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { asBookingLink } from './booking-link.ts';

export const getBookingLink =
  (tools: CalendarTools): Handler<typeof bookingLinks.getBookingLink> =>
  async ({ params, tx }) => {
    const row = await tx.bookingLink.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asBookingLink(row, tools);
  };
