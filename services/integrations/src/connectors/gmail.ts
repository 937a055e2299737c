import { accountIn, bearer, type Connector } from './connector.ts';

export const gmail: Connector = {
  key: 'gmail',
  name: 'Gmail',
  category: 'email',
  authType: 'oauth2',
  provider: 'google',
  // The second one is the least that lets the connection be tested.
  scopes: ['https://www.googleapis.com/auth/gmail.send', 'https://www.googleapis.com/auth/gmail.metadata'],
  settings: null,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile
    const { body } = await call({ url: 'https://gmail.googleapis.com/gmail/v1/users/me/profile' });
    return accountIn(body, { id: 'emailAddress', name: 'emailAddress' });
  },
};
