import { calendarEventUpdated } from '@tandem/crm-contract';
import { type Erasing, mentionsOf } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asEvent } from '../calendar-events/event.ts';
import { erasedText } from './texts.ts';

const batchMax = 200;

/** Calendar events of the lead keep their time without texts; the person is no longer an attendee of any. */
export async function eraseCalendarEvents({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const { leadIds, emails } = person;
  const found = await tx.sql<{ id: number; ofLead: boolean }>`
    SELECT id, coalesce(lead_id = ANY(${leadIds}::bigint[]), false) AS "ofLead" FROM calendar_event
    WHERE lead_id = ANY(${leadIds}::bigint[]) OR id IN (
      SELECT event_id FROM calendar_attendee WHERE lower(email) = ANY(${emails}::text[]))
    ORDER BY id LIMIT ${batchMax}::int FOR UPDATE`;
  const patterns = mentionsOf(person);
  for (const { id, ofLead } of found) {
    await tx.sql`DELETE FROM calendar_attendee WHERE event_id = ${id} AND lower(email) = ANY(${emails}::text[])`;
    await tx.sql`UPDATE calendar_event SET version = version + 1, updated_at = now(),
        lead_id = CASE WHEN ${ofLead}::boolean THEN NULL ELSE lead_id END,
        title = CASE WHEN mentioned THEN ${erasedText} ELSE title END,
        description = CASE WHEN mentioned THEN NULL ELSE description END,
        location = CASE WHEN mentioned THEN NULL ELSE location END
      FROM (SELECT ${ofLead}::boolean OR concat_ws(' ', title, description, location) ILIKE ANY(${patterns}::text[]) AS mentioned
        FROM calendar_event WHERE id = ${id}) AS text
      WHERE id = ${id}`;
    const row = await tx.calendarEvent.findFirst({ where: { id } });
    if (!row) continue;
    const attendees = await tx.calendarAttendee.findMany({ where: { eventId: id }, orderBy: { id: 'asc' } });
    const fields = ['title', 'description', 'location', 'attendees', 'leadId'];
    emit(calendarEventUpdated, { data: { calendarEventId: id, fields }, record: asEvent(row, attendees) });
  }
  return found.length;
}
