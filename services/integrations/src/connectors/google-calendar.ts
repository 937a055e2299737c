import { accountIn, bearer, type Connector } from './connector.ts';

// https://developers.google.com/workspace/calendar/api/v3/reference/events/list
const url = 'https://www.googleapis.com/calendar/v3/calendars/primary/events?maxResults=1&fields=summary';

export const googleCalendar: Connector = {
  key: 'google_calendar',
  name: 'Google Calendar',
  category: 'calendar',
  authType: 'oauth2',
  provider: 'google',
  scopes: ['https://www.googleapis.com/auth/calendar.events'],
  settings: null,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    const { body } = await call({ url });
    // The name of the primary calendar is the address of the account.
    return accountIn(body, { id: 'summary', name: 'summary' });
  },
};
