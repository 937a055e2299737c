import { bookingLinkDeleted, type bookingLinks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { asBookingLink, lockBookingLink } from './booking-link.ts';

export const deleteBookingLink =
  (tools: CalendarTools): Handler<typeof bookingLinks.deleteBookingLink> =>
  async ({ params, tx, emit, ifMatch }) => {
    const row = await lockBookingLink(tx, params.id);
    ifMatch(row);
    await tx.bookingLink.deleteMany({ where: { id: row.id } });
    emit(bookingLinkDeleted, { data: { bookingLinkId: row.id }, record: asBookingLink(row, tools) });
    return { id: row.id, deleted: true };
  };
