import { actingUserId } from '@tandem/caller';
import type { calendarEvents } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockEvent } from './event.ts';
import { respond } from './response.ts';

export const respondToCalendarEvent: Handler<typeof calendarEvents.respondToCalendarEvent> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const event = await lockEvent(tx, params.id, caller, 'calendar:write');
  ifMatch(event.record);
  const userId = actingUserId(caller);
  const attendee = event.attendees.find((one) => one.userId !== null && one.userId === userId);
  if (!attendee) throw fail('not_an_attendee');
  return (await respond({ tx, emit }, event, attendee, body.response)).record;
};
