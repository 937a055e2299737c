import { type calendarEvents, calendarEventUpdated, notifiedEventFields } from '@tandem/crm-contract';
import { type Context, diff, failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { replaceAttendees } from './attendees.ts';
import { markOfText, type StoredEvent, writeEvent } from './event.ts';
import { deleteExceptions, type Effects } from './exceptions.ts';
import { mailAttendees } from './invitations.ts';
import { endOf } from './series.ts';
import { timeColumns } from './times.ts';

export type EventChange = Omit<Context<typeof calendarEvents.updateCalendarEvent, Tx>['body'], 'status'>;

const timeFields = ['startAt', 'endAt', 'timezone', 'allDay', 'recurrence'];

/**
 * Writes a change of a locked event with its event and messages; one that changes nothing is none.
 * @param options.series the series of an exception
 * @param options.isCancelled whether the event is cancelled next, so that those who stay get the message of that only
 */
export async function changeEvent(
  tools: CalendarTools,
  effects: Effects,
  event: StoredEvent,
  change: EventChange,
  { series, isCancelled }: { series: StoredEvent | undefined; isCancelled: boolean },
): Promise<StoredEvent> {
  const { emit, sender } = effects;
  const { tx } = sender;
  const { row, record } = event;
  const { attendees: wanted, ...fields } = change;
  if (row.recurringEventId !== null && fields.recurrence)
    throw failField('recurrence', 'One occurrence does not repeat; change the series');
  const { seriesEndAt, ...times } = changedTimes(event, fields);
  const { values, audit } = diff(record, { ...fields, ...times });
  const people = wanted && (await replaceAttendees(tx, row.id, { before: event.attendees, wanted }));
  const names = Object.keys(values);
  const hasNewPeople = people !== undefined && people.added.length + people.removed.length > 0;
  if (!names.length && !hasNewPeople) return event;
  const isNotified = names.some((name) => notifiedEventFields.includes(name));
  const hasNewTimes = names.some((name) => timeFields.includes(name));
  const ofExceptions = hasNewTimes && row.recurrence !== null ? await deleteExceptions(effects, event) : [];
  const attendees = people?.now ?? event.attendees;
  const data = {
    ...values,
    ...markOfText(row, values.description),
    seriesEndAt,
    ...(isNotified && { sequence: row.sequence + 1 }),
  };
  const changed = await writeEvent(tx, { ...event, attendees }, data);
  emit(calendarEventUpdated, {
    data: { calendarEventId: row.id, fields: [...names, ...(hasNewPeople ? ['attendees'] : [])] },
    record: changed.record,
    changes: {
      ...audit,
      ...(hasNewPeople && { attendees: { from: record.attendees, to: changed.record.attendees } }),
    },
  });
  const added = people?.added ?? [];
  const stayed = attendees.filter((one) => !added.includes(one));
  await mailAttendees(tools, sender, [
    { event: changed, occasion: 'invited', to: isCancelled ? [] : added, series },
    { event: changed, before: event, occasion: 'cancelled', to: people?.removed ?? [], series },
    { event: changed, before: event, occasion: 'changed', to: isNotified && !isCancelled ? stayed : [], series },
    ...ofExceptions,
  ]);
  return changed;
}

/** The times after a change. An event that is only moved keeps its length. */
function changedTimes(event: StoredEvent, change: Omit<EventChange, 'attendees'>) {
  const { row } = event;
  const startAt = change.startAt ?? row.startAt;
  return timeColumns({
    startAt,
    endAt: change.endAt ?? (change.startAt ? endOf(event, startAt) : row.endAt),
    timezone: change.timezone ?? row.timezone,
    allDay: change.allDay ?? row.allDay,
    recurrence: change.recurrence === undefined ? row.recurrence : change.recurrence,
  });
}
