import { randomUUID } from 'node:crypto';
import { actingUserId } from '@tandem/caller';
import { calendarEventCreated, type calendarEvents } from '@tandem/crm-contract';
import type { KnownSettings } from '@tandem/identity-contract';
import { checkLinks } from '../../check-links.ts';
import type { Handler } from '../../handler.ts';
import { type CalendarTools, settingsFor } from '../calendar/tools.ts';
import { addAttendees, checkAttendees } from './attendees.ts';
import { asEvent, type StoredEvent } from './event.ts';
import { mailAttendees } from './invitations.ts';
import { timeColumns } from './times.ts';

export const createCalendarEvent = (
  tools: CalendarTools,
): Handler<typeof calendarEvents.createCalendarEvent, NonNullable<KnownSettings>> => ({
  async check({ body, caller, tx, under }) {
    await checkLinks({ tx, under }, body);
    await checkAttendees(tools, body.attendees, caller);
    return settingsFor(tools, caller);
  },
  async run({ body, caller, tx, emit, schedule, found: { timezone, locale } }) {
    const { attendees: invited = [], allDay = false, recurrence = null, ...fields } = body;
    const times = timeColumns({ ...fields, timezone: fields.timezone ?? timezone, allDay, recurrence });
    const userId = actingUserId(caller) ?? null;
    const row = await tx.calendarEvent.create({
      data: { ...fields, ...times, uid: randomUUID(), organizerId: userId, createdBy: userId },
    });
    const attendees = await addAttendees(tx, row.id, invited);
    const event: StoredEvent = { row, attendees, record: asEvent(row, attendees) };
    emit(calendarEventCreated, { data: { calendarEventId: row.id, title: row.title }, record: event.record });
    await mailAttendees(tools, { tx, schedule, caller, locale }, [{ event, occasion: 'invited', to: attendees }]);
    return event.record;
  },
});
