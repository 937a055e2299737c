import {
  calendarEventCancelled,
  calendarEventCreated,
  calendarEventResponded,
  calendarEventUpdated,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { type Texts, timeFor } from '../../letters.ts';
import { actorOf, noticesOf, type Told } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

const events = [calendarEventCreated, calendarEventUpdated, calendarEventCancelled, calendarEventResponded] as const;
type CalendarEvent = Received<(typeof events)[number]>;

// Changes of other fields, such as the lead, need not be told.
const toldFields = ['title', 'startAt', 'endAt', 'location', 'joinUrl', 'recurrence', 'attendees'];

/**
 * Notifies users of events to which somebody invites them, of changes and cancellations, and organizers of answers. People
 * who are not users get mail from crm. Nobody is notified of past events.
 */
export const notifyOfCalendar = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-calendar',
    on: [...events],
    async handle(received, context: ConsumerContext<Tx>) {
      const told: Told[] = [];
      for (const event of received) {
        const { record } = event;
        if (!isTold(event) || (record.recurrence === null && record.endAt < new Date())) continue;
        const among = recipientsOf(event).filter((userId) => userId !== actorOf(event));
        // Users who may not read the calendar are not notified of it.
        const userIds = among.length ? await usersWho(context.tx, 'calendar:read', { among }) : [];
        if (!userIds.length) continue;
        const id = ids.encode('calendar_event', event.tenantId, record.id);
        told.push({
          event,
          notice: {
            userIds,
            title: titles[event.name],
            body: bodyOf(event),
            category: 'calendar',
            data: { type: 'calendar_event', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Open', de: 'Öffnen' },
                type: 'url',
                url: `/calendar/events/${id}`,
                style: 'primary',
              },
            ],
            groupKey: `calendar-event-${id}`,
          },
        });
      }
      await noticesOf(context, told);
    },
  });

function isTold(event: CalendarEvent): boolean {
  return event.name !== 'calendar_event.updated' || event.data.fields.some((field) => toldFields.includes(field));
}

function recipientsOf({ name, record }: CalendarEvent): number[] {
  if (name === 'calendar_event.responded') return record.organizerId === null ? [] : [record.organizerId];
  return record.attendees.flatMap(({ userId }) => (userId === null ? [] : [userId]));
}

const titles: Record<CalendarEvent['name'], Texts> = {
  'calendar_event.created': { en: 'You are invited to an event', de: 'Sie sind zu einem Termin eingeladen' },
  'calendar_event.updated': { en: 'An event was changed', de: 'Ein Termin wurde geändert' },
  'calendar_event.cancelled': { en: 'An event was cancelled', de: 'Ein Termin wurde abgesagt' },
  'calendar_event.responded': { en: 'An invitation was answered', de: 'Eine Einladung wurde beantwortet' },
};

function bodyOf({ record: { title, startAt } }: CalendarEvent): Texts {
  const text = (reader: Parameters<typeof timeFor>[0]) => `“${title}”, ${timeFor(reader, startAt)}.`;
  const german = (reader: Parameters<typeof timeFor>[0]) => `„${title}“, ${timeFor(reader, startAt)}.`;
  return { en: text, de: german };
}
