import { calendarEventCompleted, type calendarEvents } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockEvent, requireScheduled, seenBy, writeEvent } from './event.ts';
import { exceptionOf, targetOf } from './series.ts';

export const completeCalendarEvent: Handler<typeof calendarEvents.completeCalendarEvent> = async (context) => {
  const { params, query, caller, tx, emit, ifMatch } = context;
  const event = await lockEvent(tx, params.id, caller, 'calendar:write');
  ifMatch(event.record);
  requireScheduled(event.record);
  const target = targetOf(event, query);
  if (target.part === 'following') throw failField('scope', 'Must be this or all');
  const completed =
    target.part === 'this'
      ? await exceptionOf(tx, event, target.occurrence, { caller, permission: 'calendar:write' })
      : event;
  requireScheduled(completed.record);
  const { row, record } = await writeEvent(tx, completed, { status: 'completed' });
  emit(calendarEventCompleted, {
    data: { calendarEventId: row.id },
    record,
    changes: { status: { from: 'scheduled', to: 'completed' } },
  });
  return seenBy(caller, record);
};
