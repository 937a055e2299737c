import type { calendarEvents, rsvps } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { answerRsvp } from './answer-rsvp.ts';
import { cancelCalendarEvent } from './cancel-calendar-event.ts';
import { completeCalendarEvent } from './complete-calendar-event.ts';
import { createCalendarEvent } from './create-calendar-event.ts';
import { deleteCalendarEvent } from './delete-calendar-event.ts';
import { downloadCalendarEvent } from './download-calendar-event.ts';
import { getCalendarEvent } from './get-calendar-event.ts';
import { getRsvp } from './get-rsvp.ts';
import { listCalendarEvents } from './list-calendar-events.ts';
import { respondToCalendarEvent } from './respond-to-calendar-event.ts';
import { showRsvpPage } from './show-rsvp-page.ts';
import { updateCalendarEvent } from './update-calendar-event.ts';

export const calendarEventHandlers = (tools: CalendarTools) =>
  ({
    createCalendarEvent: createCalendarEvent(tools),
    listCalendarEvents,
    getCalendarEvent,
    downloadCalendarEvent: downloadCalendarEvent(tools),
    updateCalendarEvent: updateCalendarEvent(tools),
    deleteCalendarEvent: deleteCalendarEvent(tools),
    completeCalendarEvent,
    cancelCalendarEvent: cancelCalendarEvent(tools),
    respondToCalendarEvent,
    getRsvp: getRsvp(tools),
    answerRsvp: answerRsvp(tools),
    showRsvpPage: showRsvpPage(tools),
  }) satisfies Handlers<typeof calendarEvents & typeof rsvps, Tx>;
