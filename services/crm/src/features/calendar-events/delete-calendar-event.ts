import { calendarEventDeleted, type calendarEvents } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { cancelEvent, endSeriesEarly } from './cancel-event.ts';
import { findWritable, lockEvent, requireScheduled } from './event.ts';
import { deleteExceptions } from './exceptions.ts';
import { type MailSettings, mailAttendees, mailSettingsFor } from './invitations.ts';
import { exceptionOf, targetOf } from './series.ts';

export const deleteCalendarEvent = (
  tools: CalendarTools,
): Handler<typeof calendarEvents.deleteCalendarEvent, MailSettings> => ({
  async check({ params, caller, tx }) {
    const event = await findWritable(tx, params.id, caller, 'calendar:delete');
    return mailSettingsFor(tools, event, caller);
  },
  async run({ params, query, caller, tx, emit, schedule, ifMatch, found: { locale, hostNames } }) {
    const event = await lockEvent(tx, params.id, caller, 'calendar:delete');
    ifMatch(event.record);
    const { row, record } = event;
    const target = targetOf(event, query);
    const effects = { emit, sender: { tx, schedule, caller, locale, hostNames } };
    const deleted = { id: row.id, deleted: true as const };
    if (target.part === 'following') {
      requireScheduled(record);
      await endSeriesEarly(tools, effects, event, target.occurrence);
      return deleted;
    }
    const exception =
      target.part === 'this'
        ? await exceptionOf(tx, event, target.occurrence, { caller, permission: 'calendar:delete' })
        : undefined;
    if (exception || row.recurringEventId !== null) {
      // Without its exception, the series would have the occurrence again.
      const hidden = exception ?? event;
      if (hidden.row.status !== 'cancelled')
        await cancelEvent(tools, effects, hidden, { reason: null, series: exception && event });
      return deleted;
    }
    const ofExceptions = await deleteExceptions(effects, event);
    await tx.calendarEvent.deleteMany({ where: { id: row.id } });
    emit(calendarEventDeleted, { data: { calendarEventId: row.id }, record });
    const to = record.status === 'scheduled' ? event.attendees : [];
    const cancelled = { ...event, row: { ...row, sequence: row.sequence + 1 } };
    await mailAttendees(tools, effects.sender, [{ event: cancelled, occasion: 'cancelled', to }, ...ofExceptions]);
    return deleted;
  },
});
