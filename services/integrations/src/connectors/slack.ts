import { z } from 'zod';
import { accountIn, bearer, CallError, type Connector } from './connector.ts';

// https://docs.slack.dev/reference/methods/auth.test
const rejected = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'];

/** Slack answers failures with status 200. */
export function checkSlackAnswer(body: unknown): void {
  const { ok, error } = (body ?? {}) as { ok?: unknown; error?: unknown };
  if (ok === true) return;
  throw new CallError(rejected.includes(String(error)) ? 'credentials_rejected' : 'provider_unavailable');
}

export const slack: Connector = {
  key: 'slack',
  name: 'Slack',
  category: 'messaging',
  authType: 'oauth2',
  provider: 'slack',
  scopes: ['chat:write', 'chat:write.public'],
  settings: z.object({}),
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    const { body } = await call({ url: 'https://slack.com/api/auth.test', method: 'POST' });
    checkSlackAnswer(body);
    return accountIn(body, { id: 'team_id', name: 'team' });
  },
};
