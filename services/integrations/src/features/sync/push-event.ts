import { id } from '@tandem/contract';
import { z } from 'zod';

/** Job that writes an event of the calendar to a connected calendar. */
export const pushEventJob = {
  name: 'push-event',
  payload: z.object({ runId: id('connector_run'), round: z.int(), calendarEventId: id('calendar_event') }),
};
