import { actingUserId } from '@tandem/caller';
import type { calendarEvents } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { accessTo, seenBy, withAttendees } from './event.ts';

const noUserId = 0;

export const listCalendarEvents: Handler<typeof calendarEvents.listCalendarEvents> = async (context) => {
  const { query, caller, tx, list } = context;
  const { status, organizerId, leadId, opportunityId, startFrom, startTo, search } = query;
  // Filters must not reveal the subject of a private event.
  const asksContent = leadId !== undefined || opportunityId !== undefined || search !== undefined;
  const page = await list({
    model: tx.calendarEvent,
    where: {
      ...(status && { status }),
      ...(organizerId !== undefined && { organizerId }),
      ...(leadId !== undefined && { leadId }),
      ...(opportunityId !== undefined && { opportunityId }),
    },
    and: [
      accessTo(caller, 'calendar:read'),
      ...(asksContent ? [{ OR: [{ visibility: 'default' }, { organizerId: actingUserId(caller) ?? noUserId }] }] : []),
      ...(startFrom ? [{ startAt: { gte: startFrom } }] : []),
      ...(startTo ? [{ startAt: { lte: startTo } }] : []),
    ],
    searchIn: ['title'],
  });
  const events = await withAttendees(tx, page.items);
  return { ...page, items: events.map(({ record }) => seenBy(caller, record)) };
};
