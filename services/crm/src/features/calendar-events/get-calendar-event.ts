import type { calendarEvents } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { findEvent, seenBy } from './event.ts';

export const getCalendarEvent: Handler<typeof calendarEvents.getCalendarEvent> = async ({ params, caller, tx }) => {
  const { record } = await findEvent(tx, params.id, caller, 'calendar:read');
  return seenBy(caller, record);
};
