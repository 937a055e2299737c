import { type bookingLinks, bookingLinkUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { asBookingLink, checkHosts, checkQuestions, lockBookingLink } from './booking-link.ts';

export const updateBookingLink = (tools: CalendarTools): Handler<typeof bookingLinks.updateBookingLink> => ({
  check: ({ body, caller }) => checkHosts(tools, body.hostIds, caller),
  async run({ params, body, tx, emit, ifMatch }) {
    const row = await lockBookingLink(tx, params.id);
    ifMatch(row);
    checkQuestions(body.questions);
    const before = asBookingLink(row, tools);
    const { isEmpty, values, audit } = diff(before, {
      ...body,
      ...(body.hostIds && { hostIds: [...new Set(body.hostIds)] }),
    });
    if (isEmpty) return before;
    const [written] = await tx.bookingLink.updateManyAndReturn({
      where: { id: row.id },
      data: { ...values, version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const after = asBookingLink(written, tools);
    emit(bookingLinkUpdated, {
      data: { bookingLinkId: row.id, fields: Object.keys(values) },
      record: after,
      changes: audit,
    });
    return after;
  },
});
