import { orAbsent } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import { calendarEvents } from '@tandem/crm-contract';
import type { CalendarFields, ExternalRecord } from '../../../connectors/sync.ts';
import { type Event, hashOfEvent } from '../event-fields.ts';
import { type Outcome, recordDeleted, type Target, type TargetContext } from '../target.ts';
import { changing, findLead, limitedTo } from '../writing.ts';

type Record = Extract<ExternalRecord, { kind: 'calendar_event' }>;

// Of the attendees of a meeting, the first leads are enough to find out whom it is about.
const attendeesMax = 5;
const notOrganizer = 'not_organizer';
const cancelled = { reason: 'Cancelled in the connected calendar' };

/** Events of a connected calendar. Attendees are not copied, because crm would invite them a second time. */
export const calendarEventTarget: Target<'calendar_event'> = {
  kind: 'calendar_event',
  permissions: ['calendar:read', 'calendar:write', 'leads:read'],
  async write(given, record, linkedId) {
    const context = { ...given, as: limitedTo('calendar:write', given.as) };
    const { crm, as } = context;
    const event =
      linkedId === undefined ? undefined : await orAbsent(crm.getCalendarEvent({ params: { id: linkedId }, as }));
    if (linkedId !== undefined && !event) return { action: 'skipped', reason: recordDeleted };
    if (record.isDeleted) return cancel(context, record, event);
    if (!event) return record.occurrence ? changeOccurrence(context, record) : create(context, record);
    return changing(
      () => orAbsent(crm.getCalendarEvent({ params: { id: event.id }, as })),
      (current) => update(context, record, current),
    );
  },
  check: ({ fields }) => checkFields(fields),
};

async function update(context: TargetContext, { fields }: Record, event: Event): Promise<Outcome> {
  const { crm, as, isPushed, seenHash } = context;
  if (isOfAnother(context, event)) return { action: 'skipped', reason: notOrganizer };
  if (event.status !== 'scheduled') return { action: 'skipped', reason: `record_${event.status}` };
  // The change here is written to the connected calendar, where it replaces this one.
  if (isPushed && seenHash !== null && hashOfEvent(event) !== seenHash)
    return { action: 'skipped', reason: 'changed_here' };
  const { visibility, ...body } = bodyOf(fields);
  // An event does not become visible to others by a change in the connected calendar.
  const change = { ...body, ...(visibility === 'private' && { visibility }) };
  const request = { params: { id: event.id }, query: {}, body: change, as, ifVersion: event.version };
  return written('updated', await crm.updateCalendarEvent(request));
}

/** Others who attend an event have copies of it, which they may change and delete for themselves. */
function isOfAnother({ as }: TargetContext, { organizerId }: Event): boolean {
  return organizerId !== null && organizerId !== as.userId;
}

async function create({ crm, as, key, settings }: TargetContext, { fields, attendees }: Record): Promise<Outcome> {
  const leadId = await leadOf({ crm, as }, attendees);
  const visibility = settings['visibility'] === 'default' ? fields.visibility : 'private';
  const body = { ...bodyOf(fields), visibility, ...(leadId !== undefined && { leadId }) };
  return written('created', await crm.createCalendarEvent({ body, as, idempotencyKey: key }));
}

/** Changes one occurrence of a series, which makes it an event of its own. */
async function changeOccurrence({ crm, as, resolve }: TargetContext, { occurrence, fields }: Record): Promise<Outcome> {
  const seriesId = occurrence && resolve('calendar_event', occurrence.seriesId);
  if (!occurrence || seriesId === undefined) return { action: 'skipped', reason: 'series_not_synced' };
  const query = { scope: 'this' as const, originalStartAt: new Date(occurrence.originalStartAt) };
  const { recurrence: _, ...body } = bodyOf(fields);
  return written('updated', await crm.updateCalendarEvent({ params: { id: seriesId }, query, body, as }));
}

async function cancel(context: TargetContext, { occurrence }: Record, event: Event | undefined): Promise<Outcome> {
  const { crm, as, resolve } = context;
  if (event) {
    if (isOfAnother(context, event)) return { action: 'skipped', reason: notOrganizer };
    if (event.status !== 'scheduled') return written('unchanged', event);
    return written(
      'deleted',
      await crm.cancelCalendarEvent({ params: { id: event.id }, query: {}, body: cancelled, as }),
    );
  }
  const seriesId = occurrence && resolve('calendar_event', occurrence.seriesId);
  if (!occurrence || seriesId === undefined) return { action: 'unchanged' };
  const query = { scope: 'this' as const, originalStartAt: new Date(occurrence.originalStartAt) };
  return written('deleted', await crm.cancelCalendarEvent({ params: { id: seriesId }, query, body: cancelled, as }));
}

function written(action: Outcome['action'], event: Event): Outcome {
  return { action, recordId: event.id, recordHash: hashOfEvent(event) };
}

function bodyOf({ startAt, endAt, ...fields }: CalendarFields) {
  return { ...fields, startAt: new Date(startAt), endAt: new Date(endAt) };
}

function checkFields(fields: CalendarFields): FieldError[] {
  const { error } = calendarEvents.createCalendarEvent.body.safeDecode(fields as never);
  return (error?.issues ?? []).map(({ path, message }) => ({ field: path.join('.'), message }));
}

async function leadOf(
  { crm, as }: Pick<TargetContext, 'crm' | 'as'>,
  attendees: readonly string[],
): Promise<number | undefined> {
  for (const email of attendees.slice(0, attendeesMax)) {
    const leadId = await findLead({ crm, as }, email);
    if (leadId !== undefined) return leadId;
  }
  return undefined;
}
