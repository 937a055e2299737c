import type { Person } from '@tandem/contract';
import { calendarEventUpdated } from '@tandem/crm-contract';
import type { Erasing, Sweep } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asEvent } from '../calendar-events/event.ts';
import { mentionsInDeals } from './erase-opportunities.ts';
import { erasedText } from './texts.ts';

const batchMax = 200;
const attendeesMax = 10_000;

/** Calendar events of the lead keep their time without texts, and those of its deals lose texts that mention the person. */
export async function eraseCalendarEvents({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const { leadIds } = person;
  const ofLead = await tx.calendarEvent.findMany({
    where: { leadId: { in: leadIds } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: batchMax,
  });
  const ofDeals = await tx.sql<{ id: number }>`SELECT event.id FROM calendar_event AS event
    JOIN opportunity ON opportunity.id = event.opportunity_id
    WHERE opportunity.lead_id = ANY(${leadIds}::bigint[]) AND event.lead_id IS NULL
      AND concat_ws(' ', nullif(event.title, ${erasedText}), event.description, event.location) ~* ${mentionsInDeals(person)}
    ORDER BY event.id LIMIT ${batchMax}::int`;
  for (const { id } of ofLead) await eraseEvent({ tx, emit, person }, id, { isOfLead: true });
  for (const { id } of ofDeals) await eraseEvent({ tx, emit, person }, id, { isOfLead: false });
  return ofLead.length + ofDeals.length;
}

/** The person is no longer an attendee of any event. */
export const eraseAttendees: Sweep<Tx> = async ({ tx, emit, person, after: [last = 0] }) => {
  const rows = await tx.sql<{ id: number; eventId: number; isPerson: boolean }>`
    SELECT id, event_id AS "eventId", coalesce(lower(email) = ANY(${person.emails}::text[]), false) AS "isPerson"
    FROM calendar_attendee WHERE id > ${last} ORDER BY id LIMIT ${attendeesMax}::int`;
  const eventIds = new Set(rows.flatMap(({ eventId, isPerson }) => (isPerson ? [eventId] : [])));
  for (const id of eventIds) await eraseEvent({ tx, emit, person }, id, { isOfLead: false });
  const end = rows.length === attendeesMax ? rows.at(-1) : undefined;
  return { erased: { attendances: eventIds.size }, next: end ? [end.id] : null };
};

/** Removes the person from an event: from its attendees, and from its texts where they mention the person. */
async function eraseEvent(
  { tx, emit, person }: Pick<Erasing<Tx>, 'tx' | 'emit'> & { person: Person },
  id: number,
  { isOfLead }: { isOfLead: boolean },
): Promise<void> {
  if (!(await tx.calendarEvent.lockFirst({ where: { id } }))) return;
  await tx.sql`DELETE FROM calendar_attendee WHERE event_id = ${id} AND lower(email) = ANY(${person.emails}::text[])`;
  const isErased = isOfLead || (await isMentioned(tx, id, person));
  const [row] = await tx.calendarEvent.updateManyAndReturn({
    where: { id },
    data: {
      ...(isErased && { title: erasedText, description: null, location: null }),
      ...(isOfLead && { leadId: null }),
      version: { increment: 1 },
    },
  });
  if (!row) return;
  const attendees = await tx.calendarAttendee.findMany({ where: { eventId: id }, orderBy: { id: 'asc' } });
  const fields = [
    'attendees',
    ...(isErased ? ['title', 'description', 'location'] : []),
    ...(isOfLead ? ['leadId'] : []),
  ];
  emit(calendarEventUpdated, { data: { calendarEventId: id, fields }, record: asEvent(row, attendees) });
}

/** The same test as the one that finds events of deals: one that found less would find the same events for ever. */
async function isMentioned(tx: Tx, id: number, person: Person): Promise<boolean> {
  const rows = await tx.sql`SELECT FROM calendar_event WHERE id = ${id}
    AND concat_ws(' ', nullif(title, ${erasedText}), description, location) ~* ${mentionsInDeals(person)}`;
  return rows.length > 0;
}
