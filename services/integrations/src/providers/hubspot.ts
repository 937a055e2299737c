import type { Provider } from './provider.ts';

// HubSpot has error codes of its own in `status`: https://developers.hubspot.com/docs/api/oauth-quickstart-guide
const deadGrants = ['BAD_REFRESH_TOKEN', 'BAD_AUTH_CODE', 'EXPIRED_AUTHENTICATION'];

export const hubspot: Provider = {
  key: 'hubspot',
  name: 'HubSpot',
  authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
  tokenUrl: 'https://api.hubapi.com/oauth/v1/token',
  clientAuth: 'post',
  revocation: ({ refreshToken }) =>
    refreshToken === null
      ? undefined
      : {
          url: `https://api.hubapi.com/oauth/v1/refresh-tokens/${encodeURIComponent(refreshToken)}`,
          method: 'DELETE',
          isRevoked: () => true,
        },
  standardize(status, body) {
    if (status < 400 || status >= 500) return { status, body };
    const code = String(body['status'] ?? body['error']);
    return { status: 400, body: { error: deadGrants.includes(code) ? 'invalid_grant' : code.toLowerCase() } };
  },
};
