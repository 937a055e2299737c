import { accountIn, bearer, type Connector } from './connector.ts';

export const microsoftCalendar: Connector = {
  key: 'microsoft_calendar',
  name: 'Microsoft Calendar',
  category: 'calendar',
  authType: 'oauth2',
  provider: 'microsoft',
  scopes: ['offline_access', 'User.Read', 'Calendars.ReadWrite'],
  settings: null,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://learn.microsoft.com/en-us/graph/api/user-get
    const { body } = await call({ url: 'https://graph.microsoft.com/v1.0/me?$select=id,userPrincipalName' });
    return accountIn(body, { id: 'id', name: 'userPrincipalName' });
  },
};
