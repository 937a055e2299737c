import type { Provider } from './provider.ts';

// Errors that only the user can resolve, by signing in again.
const deadGrants = ['interaction_required', 'login_required', 'consent_required'];

/** Microsoft Entra ID for the accounts of every directory. It offers no revocation of a single grant. */
export const microsoft: Provider = {
  key: 'microsoft',
  name: 'Microsoft',
  authorizationUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
  tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  clientAuth: 'post',
  standardize: (status, body) =>
    deadGrants.includes(String(body['error']))
      ? { status, body: { ...body, error: 'invalid_grant' } }
      : { status, body },
};
