import { calendarEventResponded } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { CalendarAttendee as AttendeeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type StoredEvent, writeEvent } from './event.ts';
import { lockExceptions } from './exceptions.ts';

interface Effects {
  tx: Tx;
  emit: Emit<typeof calendarEventResponded>;
}

interface Answer {
  response: 'accepted' | 'tentative' | 'declined';
  respondedAt: Date;
}

interface Answered {
  event: StoredEvent;
  attendee: AttendeeRow;
  /** Whether the attendee answered the series of the event. */
  byAnswerToSeries: boolean;
}

/**
 * Stores the answer of an attendee of a locked event, as its next version, with its event; the same answer again changes
 * nothing. An answer to a series is also that to its changed occurrences, unless the attendee has answered these themselves.
 * @throws 409 when the event is cancelled
 */
export async function respond(
  effects: Effects,
  event: StoredEvent,
  attendee: AttendeeRow,
  response: Answer['response'],
): Promise<StoredEvent> {
  const { tx } = effects;
  const { row } = event;
  if (row.status === 'cancelled') throw fail('event_cancelled');
  const isSame = attendee.response === response && !(await isOfSeries(tx, event, attendee));
  const answer = { response, respondedAt: (isSame && attendee.respondedAt) || new Date() };
  const answered = isSame ? event : await writeAnswer(effects, { event, attendee, byAnswerToSeries: false }, answer);
  if (row.recurrence === null) return answered;
  for (const exception of await lockExceptions(tx, event, { status: 'scheduled' })) {
    const own = exception.attendees.find((one) => isSamePerson(one, attendee));
    if (own && own.response !== response && isInherited(own, exception, attendee))
      await writeAnswer(effects, { event: exception, attendee: own, byAnswerToSeries: true }, answer);
  }
  return answered;
}

async function writeAnswer({ tx, emit }: Effects, { event, attendee, byAnswerToSeries }: Answered, answer: Answer) {
  const { id, userId, email } = attendee;
  await tx.calendarAttendee.updateMany({ where: { id }, data: answer });
  const attendees = event.attendees.map((one) => (one.id === id ? { ...one, ...answer } : one));
  const answered = await writeEvent(tx, { ...event, attendees }, {});
  emit(calendarEventResponded, {
    data: { calendarEventId: event.row.id, userId, email, response: answer.response, byAnswerToSeries },
    record: answered.record,
  });
  return answered;
}

/** Whether the answer to a changed occurrence is that to its series. Repeating it makes it one to the occurrence. */
async function isOfSeries(tx: Tx, exception: StoredEvent, attendee: AttendeeRow): Promise<boolean> {
  const { recurringEventId } = exception.row;
  if (recurringEventId === null) return false;
  const ofSeries = await tx.calendarAttendee.findMany({ where: { eventId: recurringEventId } });
  const before = ofSeries.find((one) => isSamePerson(one, attendee));
  return before !== undefined && isInherited(attendee, exception, before);
}

/**
 * Whether an attendee of a changed occurrence has no other answer than that to the series: none, the one of the same time,
 * or the one that was copied when the occurrence was changed.
 * @param ofSeries the attendee of the series
 */
function isInherited({ respondedAt }: AttendeeRow, { row }: StoredEvent, ofSeries: AttendeeRow): boolean {
  if (respondedAt === null || respondedAt < row.createdAt) return true;
  return respondedAt.getTime() === ofSeries.respondedAt?.getTime();
}

function isSamePerson(one: AttendeeRow, other: AttendeeRow): boolean {
  return one.userId === other.userId && one.email?.toLowerCase() === other.email?.toLowerCase();
}
