import type { Provider } from './provider.ts';

export const google: Provider = {
  key: 'google',
  name: 'Google',
  authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  clientAuth: 'post',
  // Google issues a refresh token only for offline access, and again only after a new consent.
  parameters: { access_type: 'offline', prompt: 'consent' },
  revocation: 'https://oauth2.googleapis.com/revoke',
  // https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
  revokesAccount: true,
};
