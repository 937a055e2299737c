import type { calendarEvents } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { cancelEvent, endSeriesEarly } from './cancel-event.ts';
import { findWritable, lockEvent, requireScheduled, seenBy } from './event.ts';
import { type MailSettings, mailSettingsFor } from './invitations.ts';
import { exceptionOf, targetOf } from './series.ts';

export const cancelCalendarEvent = (
  tools: CalendarTools,
): Handler<typeof calendarEvents.cancelCalendarEvent, MailSettings> => ({
  async check({ params, caller, tx }) {
    const event = await findWritable(tx, params.id, caller, 'calendar:write');
    return mailSettingsFor(tools, event, caller);
  },
  async run({ params, query, body, caller, tx, emit, schedule, ifMatch, found: { locale, hostNames } }) {
    const event = await lockEvent(tx, params.id, caller, 'calendar:write');
    ifMatch(event.record);
    requireScheduled(event.record);
    const target = targetOf(event, query);
    const effects = { emit, sender: { tx, schedule, caller, locale, hostNames } };
    const reason = body.reason ?? null;
    if (target.part === 'following') {
      const ended = await endSeriesEarly(tools, effects, event, target.occurrence);
      return seenBy(caller, ended.record);
    }
    const isThis = target.part === 'this';
    const cancelled = isThis
      ? await exceptionOf(tx, event, target.occurrence, { caller, permission: 'calendar:write' })
      : event;
    requireScheduled(cancelled.record);
    return seenBy(
      caller,
      (await cancelEvent(tools, effects, cancelled, { reason, series: isThis ? event : undefined })).record,
    );
  },
});
