import type { calendarEvents } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { findEvent, seenBy, withAttendees } from './event.ts';
import { icsOf } from './ics.ts';
import { addressOf } from './invitations.ts';

const exceptionsMax = 1_000;

export const downloadCalendarEvent =
  (tools: CalendarTools): Handler<typeof calendarEvents.downloadCalendarEvent> =>
  async ({ params, caller, tx }) => {
    const event = await findEvent(tx, params.id, caller, 'calendar:read');
    const rows = await tx.calendarEvent.findMany({
      where: { recurringEventId: event.row.id },
      orderBy: { originalStartAt: 'asc' },
      take: exceptionsMax,
    });
    const { recurringEventId } = event.row;
    const series =
      recurringEventId === null ? event.row : await tx.calendarEvent.findFirst({ where: { id: recurringEventId } });
    const shown = [event, ...(await withAttendees(tx, rows))].map((one) => ({
      ...one,
      record: seenBy(caller, one.record),
    }));
    const body = icsOf(shown, {
      organizer: { name: 'Tandem', email: addressOf(tools.mailFrom) },
      ...(series && { series }),
    });
    return { body, type: 'text/calendar; charset=utf-8', disposition: { kind: 'attachment', filename: 'event.ics' } };
  };
