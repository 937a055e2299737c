import type { Provider } from './provider.ts';

// Slack answers errors with status 200 and `ok: false`: https://docs.slack.dev/reference/methods/oauth.v2.access
const deadGrants = ['invalid_refresh_token', 'token_revoked', 'token_expired', 'account_inactive', 'invalid_code'];
const outages = ['ratelimited', 'fatal_error', 'internal_error', 'service_unavailable', 'request_timeout'];
// A token that is revoked already needs no revocation.
const revoked = ['token_revoked', 'invalid_auth', 'account_inactive', 'token_expired', 'not_authed'];

export const slack: Provider = {
  key: 'slack',
  name: 'Slack',
  authorizationUrl: 'https://slack.com/oauth/v2/authorize',
  tokenUrl: 'https://slack.com/api/oauth.v2.access',
  clientAuth: 'post',
  scopeSeparator: ',',
  revocation: ({ accessToken }) => ({
    url: 'https://slack.com/api/auth.revoke',
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
    isRevoked: ({ ok, error }) => ok === true || revoked.includes(String(error)),
  }),
  standardize(status, body) {
    const error = String(body['error']);
    if (body['ok'] !== false) return { status, body: { ...body, token_type: 'bearer' } };
    if (outages.includes(error)) return { status: 503, body: { error: 'temporarily_unavailable' } };
    return { status: 400, body: { error: deadGrants.includes(error) ? 'invalid_grant' : error } };
  },
};
