import { mappingError } from '../features/sync/map-fields.ts';
import { accountIn, bearer, type Connector } from './connector.ts';
import { crmSettings } from './crm-settings.ts';
import { readPipedrive } from './pipedrive-pages.ts';
import { pipedriveKinds, pipedriveObjects } from './pipedrive-records.ts';

const Settings = crmSettings(pipedriveObjects);

/** Imports organizations as accounts, persons as leads and deals as opportunities. */
export const pipedrive: Connector = {
  key: 'pipedrive',
  name: 'Pipedrive',
  category: 'crm',
  authType: 'oauth2',
  provider: 'pipedrive',
  // https://pipedrive.readme.io/docs/marketplace-scopes-and-permissions-explanations
  scopes: ['base', 'contacts:read', 'deals:read'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.pipedrive.com/docs/api/v1/Users#getCurrentUser
    const { body } = await call({ url: 'https://api.pipedrive.com/v1/users/me' });
    return accountIn((body as { data?: unknown } | undefined)?.data, { id: 'company_id', name: 'company_name' });
  },
  nameError: mappingError,
  sync: {
    kinds: (settings) => ofSettings(settings).objects.map((object) => pipedriveKinds[object]),
    everyMinutes: 60,
    read: (context) => readPipedrive(context, ofSettings(context.settings)),
  },
};

/** The settings, with the objects in the order in which they are read. */
function ofSettings(settings: Record<string, unknown>) {
  const read = Settings.parse(settings);
  return { ...read, objects: pipedriveObjects.filter((object) => read.objects.includes(object)) };
}
