import type { Caller } from '@tandem/caller';
import type { KnownSettings } from '@tandem/identity-contract';
import type { Schedule } from '@tandem/jobs';
import type { Message } from '@tandem/mail';
import { fail } from '@tandem/service';
import type { CalendarAttendee as AttendeeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { namesOf, readHostNames } from '../booking-links/host-names.ts';
import { type CalendarTools, settingsFor } from '../calendar/tools.ts';
import { asEvent, type EventRecord, isFromBooking, type StoredEvent } from './event.ts';
import { icsOf } from './ics.ts';
import { invitationLetter, type Occasion } from './invitation-letter.ts';

export interface Mailing {
  event: StoredEvent;
  /** The event before a change of its times: people have it in their calendars at those. */
  before?: StoredEvent | undefined;
  occasion: Occasion;
  /** The attendees who get a message; those without an address get none. */
  to: readonly AttendeeRow[];
  /** The series of an exception. */
  series?: StoredEvent | undefined;
  /** Why the event is cancelled. */
  reason?: string | null;
}

export interface Sender {
  tx: Tx;
  schedule: Schedule;
  caller: Pick<Caller, 'name' | 'tenantId' | 'environment'>;
  locale: string;
  /** The names of the hosts of a booking, as far as they are known. */
  hostNames?: readonly string[];
}

/** The settings of the tenant and the names of hosts, for messages about an event. Read before the transaction. */
export type MailSettings = NonNullable<KnownSettings> & { hostNames: string[] };

const dayMs = 86_400_000;
// Links of a series without an end can be used for a year after the message.
const linkDays = { afterEnd: 7, endless: 366 };

/** Reads the settings of messages about an event. Those about a booking name its host, who need not be who changes it. */
export async function mailSettingsFor(
  tools: CalendarTools,
  { record, row }: StoredEvent,
  caller: Caller,
): Promise<MailSettings> {
  const settings = await settingsFor(tools, caller);
  if (!isFromBooking(row) || caller.tenantId === undefined) return { ...settings, hostNames: [] };
  // Other users who attend can be colleagues whom somebody added.
  const hostIds = record.organizerId === null ? [] : [record.organizerId];
  const { tenantId, environment, requestId } = caller;
  const names = await readHostNames(tools, { tenantId, environment, requestId }, hostIds);
  return { ...settings, hostNames: namesOf(names, hostIds) };
}

/**
 * Queues messages to attendees with an e-mail address, each with a link to answer and the event for their calendar. Users
 * are notified by identity, from the events. An event that was past before the change, too, concerns nobody any more.
 * @throws 429 when the tenant has reached its limit of messages
 */
export async function mailAttendees(tools: CalendarTools, sender: Sender, mailings: readonly Mailing[]): Promise<void> {
  const messages = mailings.flatMap((mailing) => (concernsNobody(mailing) ? [] : messagesOf(tools, sender, mailing)));
  if (messages.length && !(await tools.mail(sender, messages))) throw fail('mail_limit');
}

function messagesOf(tools: CalendarTools, { caller, locale, hostNames = [] }: Sender, mailing: Mailing): Message[] {
  const { event, occasion, to, series, reason = null } = mailing;
  const by = caller.name ?? 'Tandem';
  const method = occasion === 'cancelled' ? 'CANCEL' : 'REQUEST';
  return to.flatMap((attendee) => {
    if (attendee.email === null) return [];
    const organizer = { name: by, email: addressOf(tools.mailFrom) };
    const own = { ...event, record: shownTo(attendee, event) };
    const ics = icsOf([own], { method, organizer, ...(series && { series: series.row }) });
    const url = method === 'CANCEL' ? undefined : linkOf(tools, caller, event, attendee);
    const letter = invitationLetter({ occasion, event: own.record, organizer: by, locale, url, reason, hostNames });
    return [
      {
        kind: 'account',
        template: `calendar_${occasion}`,
        to: attendee.email,
        content: { ...letter, invitation: { method, ics } },
      } satisfies Message,
    ];
  });
}

/**
 * The event as it is sent to an attendee. The other attendees are not shown: their addresses are personal data. What
 * visitors of a booking page wrote is not sent, because anybody can enter any address there: the answers, which are the
 * description until a user changes it, and the name.
 */
function shownTo(attendee: AttendeeRow, { row }: StoredEvent): EventRecord {
  if (!isFromBooking(row)) return asEvent(row, [attendee]);
  const description = row.describedByUser ? row.description : null;
  return asEvent({ ...row, description }, [{ ...attendee, name: null }]);
}

function linkOf(tools: CalendarTools, caller: Sender['caller'], { row }: StoredEvent, attendee: AttendeeRow): string {
  const end = row.recurrence === null ? row.endAt : row.seriesEndAt;
  const expiresAt = end
    ? new Date(end.getTime() + linkDays.afterEnd * dayMs)
    : new Date(Date.now() + linkDays.endless * dayMs);
  const { tenantId, environment } = caller;
  const token = tools.links.issue({ tenantId: tenantId as number, environment, attendeeId: attendee.id }, expiresAt);
  return `${tools.publicUrl}/rsvp/${token}`;
}

function concernsNobody({ event, before }: Mailing): boolean {
  return isPast(event) && (before === undefined || isPast(before));
}

function isPast({ row }: StoredEvent): boolean {
  const end = row.recurrence === null ? row.endAt : row.seriesEndAt;
  return end !== null && end < new Date();
}

/** The address of a sender such as `Tandem <no-reply@example.com>`. */
export function addressOf(mailFrom: string): string {
  return /<([^<>]+)>$/.exec(mailFrom)?.[1] ?? mailFrom;
}
