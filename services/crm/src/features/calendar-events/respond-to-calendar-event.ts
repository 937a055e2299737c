import { actingUserId } from '@tandem/caller';
import { calendarEventResponded, type calendarEvents } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockEvent } from './event.ts';
import { writeResponse } from './response.ts';

export const respondToCalendarEvent: Handler<typeof calendarEvents.respondToCalendarEvent> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const event = await lockEvent(tx, params.id, caller, 'calendar:write');
  ifMatch(event.record);
  const userId = actingUserId(caller);
  const attendee = event.attendees.find((one) => one.userId !== null && one.userId === userId);
  if (!attendee) throw fail('not_an_attendee');
  const { isChanged, event: answered } = await writeResponse(tx, event, attendee, body.response);
  if (!isChanged) return answered.record;
  emit(calendarEventResponded, {
    data: { calendarEventId: event.row.id, userId: attendee.userId, email: null, response: body.response },
    record: answered.record,
  });
  return answered.record;
};
