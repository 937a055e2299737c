import { randomUUID } from 'node:crypto';
import { actingUserId } from '@tandem/caller';
import { calendarEventCreated, type calendarEvents, calendarEventUpdated } from '@tandem/crm-contract';
import { continuedFrom, type Series } from '@tandem/recurrence';
import { type Context, failField } from '@tandem/service';
import { checkLinks } from '../../check-links.ts';
import type { Handler, Tx } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { addAttendees, checkAttendees, copyAttendees } from './attendees.ts';
import { cancelEvent } from './cancel-event.ts';
import { changeEvent } from './change-event.ts';
import { completeEvent } from './complete-event.ts';
import { asEvent, findWritable, lockEvent, markOfText, requireScheduled, type StoredEvent, seenBy } from './event.ts';
import { deleteExceptions, moveExceptions } from './exceptions.ts';
import { type MailSettings, mailAttendees, mailSettingsFor } from './invitations.ts';
import { contentOf, endOf, endSeries, exceptionOf, requireScope, seriesOf, targetOf } from './series.ts';
import { timeColumns } from './times.ts';

type Update = Context<typeof calendarEvents.updateCalendarEvent, Tx> & { found: MailSettings };

export const updateCalendarEvent = (
  tools: CalendarTools,
): Handler<typeof calendarEvents.updateCalendarEvent, MailSettings> => ({
  async check({ params, body, caller, tx, under }) {
    const event = await findWritable(tx, params.id, caller, 'calendar:write');
    await checkLinks({ tx, under }, body);
    await checkAttendees(tools, body.attendees, caller);
    return mailSettingsFor(tools, event, caller);
  },
  async run(context) {
    const { params, query, body, caller, tx, emit, schedule, ifMatch, found } = context;
    const event = await lockEvent(tx, params.id, caller, 'calendar:write');
    ifMatch(event.record);
    requireScheduled(event.record);
    const target = targetOf(event, query);
    const { status, ...change } = body;
    if (status === 'completed') requireScope(event, query);
    if (target.part === 'following') {
      if (status !== undefined) throw failField('status', 'Cannot be sent with the scope following');
      return seenBy(caller, await changeFollowing(tools, context, event, target.occurrence));
    }
    const isThis = target.part === 'this';
    const before = isThis
      ? await exceptionOf(tx, event, target.occurrence, { caller, permission: 'calendar:write' })
      : event;
    requireScheduled(before.record);
    const effects = { emit, sender: { tx, schedule, caller, ...found } };
    const series = isThis ? event : undefined;
    const changed = await changeEvent(tools, effects, before, change, { series, isCancelled: status === 'cancelled' });
    if (status === 'completed') return seenBy(caller, (await completeEvent({ tx, emit }, changed)).record);
    if (status === 'cancelled')
      return seenBy(caller, (await cancelEvent(tools, effects, changed, { reason: null, series, before })).record);
    if (isThis && changed === before && before.row.version === 1) {
      // The occurrence is as the series has it, so no event replaces it.
      await tx.calendarEvent.deleteMany({ where: { id: before.row.id } });
      return seenBy(caller, event.record);
    }
    return seenBy(caller, changed.record);
  },
});

/** Ends the series before an occurrence, and continues it as a series of its own with the change. */
async function changeFollowing(tools: CalendarTools, context: Update, series: StoredEvent, occurrence: Date) {
  const { body, caller, tx, emit, schedule, found } = context;
  const next = await continueSeries(context, series, occurrence);
  const ended = await endSeries(tx, series, occurrence);
  const hasNewTimes = timeFields.some((field) => body[field] !== undefined);
  const effects = { emit, sender: { tx, schedule, caller, ...found } };
  const from = occurrence;
  const ofExceptions = hasNewTimes
    ? await deleteExceptions(effects, series, { from })
    : await moveExceptions(effects, series, { from, to: next });
  emit(calendarEventUpdated, {
    data: { calendarEventId: ended.row.id, fields: ['recurrence'] },
    record: ended.record,
    changes: { recurrence: { from: series.record.recurrence, to: ended.record.recurrence } },
  });
  emit(calendarEventCreated, { data: { calendarEventId: next.row.id, title: next.row.title }, record: next.record });
  await mailAttendees(tools, effects.sender, [
    { event: ended, before: series, occasion: 'changed', to: ended.attendees },
    { event: next, occasion: 'invited', to: next.attendees },
    ...ofExceptions,
  ]);
  return next.record;
}

const timeFields = ['startAt', 'endAt', 'timezone', 'allDay', 'recurrence'] as const;

async function continueSeries(
  { body, caller, tx }: Update,
  series: StoredEvent,
  occurrence: Date,
): Promise<StoredEvent> {
  const { attendees: wanted, recurrence, status: _, ...fields } = body;
  const { row } = series;
  const startAt = fields.startAt ?? occurrence;
  const times = timeColumns({
    startAt,
    endAt: fields.endAt ?? endOf(series, startAt),
    timezone: fields.timezone ?? row.timezone,
    allDay: fields.allDay ?? row.allDay,
    recurrence: recurrence === undefined ? continuedFrom(seriesOf(row) as Series, occurrence) : recurrence,
  });
  const data = {
    ...contentOf(series),
    ...fields,
    ...markOfText(row, fields.description),
    ...times,
    uid: randomUUID(),
    createdBy: actingUserId(caller) ?? null,
  };
  const created = await tx.calendarEvent.create({ data });
  const attendees = wanted
    ? await addAttendees(tx, created.id, wanted)
    : await copyAttendees(tx, created.id, series.attendees);
  return { row: created, attendees, record: asEvent(created, attendees) };
}
