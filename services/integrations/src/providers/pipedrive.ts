import type { Provider } from './provider.ts';

export const pipedrive: Provider = {
  key: 'pipedrive',
  name: 'Pipedrive',
  authorizationUrl: 'https://oauth.pipedrive.com/oauth/authorize',
  tokenUrl: 'https://oauth.pipedrive.com/oauth/token',
  clientAuth: 'basic',
  revocation: 'https://oauth.pipedrive.com/oauth/revoke',
};
