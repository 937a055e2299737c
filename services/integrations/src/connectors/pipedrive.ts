import { accountIn, bearer, type Connector } from './connector.ts';

export const pipedrive: Connector = {
  key: 'pipedrive',
  name: 'Pipedrive',
  category: 'crm',
  authType: 'oauth2',
  provider: 'pipedrive',
  scopes: ['base', 'contacts:full', 'leads:full'],
  settings: null,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.pipedrive.com/docs/api/v1/Users#getCurrentUser
    const { body } = await call({ url: 'https://api.pipedrive.com/v1/users/me' });
    return accountIn((body as { data?: unknown } | undefined)?.data, { id: 'company_id', name: 'company_name' });
  },
};
