import { mappingError } from '../features/sync/map-fields.ts';
import { accountIn, bearer, type Connector } from './connector.ts';
import { crmSettings } from './crm-settings.ts';
import { readHubspot } from './hubspot-pages.ts';
import { hubspotKinds, hubspotObjects } from './hubspot-records.ts';

const Settings = crmSettings(hubspotObjects);

/** Imports companies as accounts, contacts as leads and deals as opportunities. */
export const hubspot: Connector = {
  key: 'hubspot',
  name: 'HubSpot',
  category: 'crm',
  authType: 'oauth2',
  provider: 'hubspot',
  // https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes
  scopes: ['oauth', 'crm.objects.companies.read', 'crm.objects.contacts.read', 'crm.objects.deals.read'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide
    const { body } = await call({ url: 'https://api.hubapi.com/account-info/v3/details' });
    return accountIn(body, { id: 'portalId', name: 'uiDomain' });
  },
  nameError: mappingError,
  sync: {
    kinds: (settings) => ofSettings(settings).objects.map((object) => hubspotKinds[object]),
    everyMinutes: 60,
    read: (context) => readHubspot(context, ofSettings(context.settings)),
  },
};

/** The settings, with the objects in the order in which they are read. */
function ofSettings(settings: Record<string, unknown>) {
  const read = Settings.parse(settings);
  return { ...read, objects: hubspotObjects.filter((object) => read.objects.includes(object)) };
}
