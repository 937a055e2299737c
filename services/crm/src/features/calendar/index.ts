import type { availability, calendar, timeOff } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createTimeOff } from './create-time-off.ts';
import { deleteTimeOff } from './delete-time-off.ts';
import { findAvailability } from './find-availability.ts';
import { getCalendar } from './get-calendar.ts';
import { getTimeOff } from './get-time-off.ts';
import { getUserAvailability } from './get-user-availability.ts';
import { listTimeOff } from './list-time-off.ts';
import { setUserAvailability } from './set-user-availability.ts';
import type { CalendarTools } from './tools.ts';
import { updateTimeOff } from './update-time-off.ts';

export const calendarHandlers = (tools: CalendarTools) =>
  ({
    getCalendar: getCalendar(tools),
    findAvailability: findAvailability(tools),
    getUserAvailability: getUserAvailability(tools),
    setUserAvailability: setUserAvailability(tools),
    createTimeOff: createTimeOff(tools),
    listTimeOff,
    getTimeOff,
    updateTimeOff,
    deleteTimeOff,
  }) satisfies Handlers<typeof calendar & typeof availability & typeof timeOff, Tx>;
