import type { calendarEvents } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { completeEvent } from './complete-event.ts';
import { lockEvent, requireScheduled, seenBy } from './event.ts';
import { exceptionOf, requireScope, targetOf } from './series.ts';

export const completeCalendarEvent: Handler<typeof calendarEvents.completeCalendarEvent> = async (context) => {
  const { params, query, caller, tx, emit, ifMatch } = context;
  const event = await lockEvent(tx, params.id, caller, 'calendar:write');
  ifMatch(event.record);
  requireScheduled(event.record);
  requireScope(event, query);
  const target = targetOf(event, query);
  if (target.part === 'following') throw failField('scope', 'Must be this or all');
  const completed =
    target.part === 'this'
      ? await exceptionOf(tx, event, target.occurrence, { caller, permission: 'calendar:write' })
      : event;
  const { record } = await completeEvent({ tx, emit }, completed);
  return seenBy(caller, record);
};
