import { accountIn, bearer, type Connector } from './connector.ts';

export const hubspot: Connector = {
  key: 'hubspot',
  name: 'HubSpot',
  category: 'crm',
  authType: 'oauth2',
  provider: 'hubspot',
  scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
  settings: null,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide
    const { body } = await call({ url: 'https://api.hubapi.com/account-info/v3/details' });
    return accountIn(body, { id: 'portalId', name: 'uiDomain' });
  },
};
