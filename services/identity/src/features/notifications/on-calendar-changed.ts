import {
  calendarEventCancelled,
  calendarEventCreated,
  calendarEventDeleted,
  calendarEventResponded,
  calendarEventUpdated,
  notifiedEventFields,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { type Texts, timeFor } from '../../letters.ts';
import { actorOf, type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

const events = [
  calendarEventCreated,
  calendarEventUpdated,
  calendarEventCancelled,
  calendarEventDeleted,
  calendarEventResponded,
] as const;
type CalendarEvent = Received<(typeof events)[number]>;

/**
 * Notifies organizers and attendees who are users of events to which somebody invites them, that somebody books with them,
 * changes, cancels or deletes, and organizers of answers. People who are not users get mail from crm. Nobody is notified
 * of past events.
 */
export const notifyOfCalendar = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-calendar',
    on: [...events],
    async handle(received, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of received) {
        const { record } = event;
        if (record.recurrence === null && record.endAt < new Date()) continue;
        const ofSeries = seriesEventOf(event, received);
        const known = [actorOf(event), ...(ofSeries ? membersOf(ofSeries) : [])];
        for (const { title, members } of messagesOf(event, received)) {
          const among = [...new Set(members)].filter((userId) => !known.includes(userId));
          // Users who may not read the calendar are not notified of it.
          const userIds = among.length ? await usersWho(context.tx, 'calendar:read', { among }) : [];
          if (userIds.length) notices.push({ event, notice: noticeOf(event, { title, userIds }, ids) });
        }
      }
      await noticesOf(context, notices);
    },
  });

/**
 * The event of the series that also cancels or removes this occurrence: the series ended, or its times changed. The
 * notification of it is enough for members of the series.
 */
function seriesEventOf({ name, record }: CalendarEvent, received: readonly CalendarEvent[]): CalendarEvent | undefined {
  if (name !== 'calendar_event.cancelled' && name !== 'calendar_event.deleted') return undefined;
  return received.find((other) => other.record.id === record.recurringEventId && endsOccurrences(other));
}

const timeFields = ['startAt', 'endAt', 'timezone', 'recurrence'];

function endsOccurrences(event: CalendarEvent): boolean {
  if (event.name === 'calendar_event.updated') return event.data.fields.some((field) => timeFields.includes(field));
  return event.name === 'calendar_event.cancelled' || event.name === 'calendar_event.deleted';
}

interface Message {
  title: Texts;
  members: number[];
}

/** The messages about an event, and who gets them. */
function messagesOf(event: CalendarEvent, received: readonly CalendarEvent[]): Message[] {
  const { record } = event;
  const { organizerId } = record;
  switch (event.name) {
    case 'calendar_event.created':
      return [{ title: isBooking(event) ? titles.booked : titles.invited, members: membersOf(event) }];
    case 'calendar_event.responded':
      // The notification of the answer to the series is enough.
      if (organizerId === null || event.data.byAnswerToSeries) return [];
      return [{ title: titles.answered, members: [organizerId] }];
    case 'calendar_event.deleted':
      return record.status === 'scheduled' ? [{ title: titles.cancelled, members: membersOf(event) }] : [];
    case 'calendar_event.cancelled':
      return [{ title: titles.cancelled, members: membersOf(event) }];
    default: {
      const { added, removed } = changedAttendees(event);
      // The notification of the cancellation is enough for those who are members then.
      if (isCancelledAfter(event, received)) return [{ title: titles.removed, members: removed }];
      const isNotified = event.data.fields.some((field) => notifiedEventFields.includes(field));
      const stayed = membersOf(event).filter((userId) => !added.includes(userId));
      return [
        { title: titles.invited, members: added },
        { title: titles.removed, members: removed },
        ...(isNotified ? [{ title: titles.changed, members: stayed }] : []),
      ];
    }
  }
}

function isCancelledAfter(event: CalendarEvent, received: readonly CalendarEvent[]): boolean {
  const later = received.slice(received.indexOf(event) + 1);
  return later.some(({ name, record }) => name === 'calendar_event.cancelled' && record.id === event.record.id);
}

/** The users who organize or attend an event. */
function membersOf({ record: { organizerId, attendees } }: CalendarEvent): number[] {
  return [organizerId, ...attendees.map(({ userId }) => userId)].filter((userId) => userId !== null);
}

const Attendees = z.object({
  from: z.array(z.object({ userId: z.number().nullable() })),
  to: z.array(z.object({ userId: z.number().nullable() })),
});

/** The users whom a change invites, and those whom it removes. */
function changedAttendees({ changes }: CalendarEvent): { added: number[]; removed: number[] } {
  const { data } = Attendees.safeParse(changes?.['attendees']);
  const [before, after] = [data?.from ?? [], data?.to ?? []].map((list) =>
    list.flatMap(({ userId }) => (userId === null ? [] : [userId])),
  ) as [number[], number[]];
  return {
    added: after.filter((userId) => !before.includes(userId)),
    removed: before.filter((userId) => !after.includes(userId)),
  };
}

const titles = {
  invited: { en: 'You are invited to an event', de: 'Sie sind zu einem Termin eingeladen' },
  booked: { en: 'A time was booked with you', de: 'Bei Ihnen wurde ein Termin gebucht' },
  changed: { en: 'An event was changed', de: 'Ein Termin wurde geändert' },
  cancelled: { en: 'An event was cancelled', de: 'Ein Termin wurde abgesagt' },
  removed: { en: 'You are not invited to an event any more', de: 'Sie sind nicht mehr zu einem Termin eingeladen' },
  answered: { en: 'An invitation was answered', de: 'Eine Einladung wurde beantwortet' },
} satisfies Record<string, Texts>;

function noticeOf(
  event: CalendarEvent,
  { title, userIds }: { title: Texts; userIds: number[] },
  ids: Tools['ids'],
): EventNotice['notice'] {
  const id = ids.encode('calendar_event', event.tenantId, event.record.id);
  const { leadId } = event.record;
  const isDeleted = event.name === 'calendar_event.deleted';
  return {
    userIds,
    title,
    body: bodyOf(event),
    category: 'calendar',
    // An erasure finds the notification by the code of the lead, also when the event is deleted.
    data: {
      type: 'calendar_event',
      id,
      ...(leadId !== null && { leadId: ids.encode('lead', event.tenantId, leadId) }),
    },
    ...(!isDeleted && {
      actions: [
        {
          id: 'open',
          label: { en: 'Open', de: 'Öffnen' },
          type: 'url',
          url: `/calendar/events/${id}`,
          style: 'primary',
        },
      ],
    }),
    groupKey: `calendar-event-${id}`,
  };
}

function bodyOf(event: CalendarEvent): Texts {
  const { title, startAt } = event.record;
  const reason = event.name === 'calendar_event.cancelled' ? event.data.reason : null;
  const because = (word: string) => (reason === null ? '' : ` ${word}: ${reason}`);
  const visitor = visitorOf(event);
  const by = (word: string) => (visitor === undefined ? '' : ` ${word} ${visitor}`);
  const text = (reader: Parameters<typeof timeFor>[0]) =>
    `“${title}”${by('with')}, ${timeFor(reader, startAt)}.${because('Reason')}`;
  const german = (reader: Parameters<typeof timeFor>[0]) =>
    `„${title}“${by('mit')}, ${timeFor(reader, startAt)}.${because('Grund')}`;
  return { en: text, de: german };
}

/** The name of who booked the event on a booking page. */
function visitorOf(event: CalendarEvent): string | undefined {
  if (!isBooking(event)) return undefined;
  const visitor = event.record.attendees.find(({ userId }) => userId === null);
  return visitor?.name ?? visitor?.email ?? undefined;
}

function isBooking({ name, caller }: CalendarEvent): boolean {
  return name === 'calendar_event.created' && caller.type === 'anonymous';
}
