import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { Log } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { bookingLinkHandlers } from './features/booking-links/index.ts';
import { calendarHandlers } from './features/calendar/index.ts';
import type { CalendarTools, Invited } from './features/calendar/tools.ts';
import { calendarEventHandlers } from './features/calendar-events/index.ts';
import type { Peers } from './handler.ts';
import type { CrmSettings } from './settings.ts';

interface Parts {
  settings: CrmSettings;
  peers: Peers;
  settingsOf: CalendarTools['settingsOf'];
  ids: IdCodec;
  mailer: Mailer;
  log: Log;
}

/** Handlers of the calendar: events, working hours, time off and booking links. */
export function calendarOf({ settings, peers, settingsOf, ids, mailer, log }: Parts) {
  const tools: CalendarTools = {
    ...peers,
    settingsOf,
    ids,
    log,
    mail: mailer.queue,
    mailFrom: settings.MAIL_FROM,
    links: createLinkTokens<Invited>(createSeal(settings.ENCRYPTION_KEY), 'calendar-invitation'),
    publicUrl: settings.PUBLIC_URL,
  };
  return { ...calendarHandlers(tools), ...calendarEventHandlers(tools), ...bookingLinkHandlers(tools) };
}
