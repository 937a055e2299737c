import { text } from '@tandem/contract';
import { z } from 'zod';
import { type Action, accountIn, bearer, CallError, type Connector } from './connector.ts';
import { fieldsOf } from './fields.ts';
import { Events } from './settings.ts';

// https://docs.slack.dev/reference/methods/auth.test
const rejected = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'];
const outages = [
  'ratelimited',
  'rate_limited',
  'fatal_error',
  'internal_error',
  'service_unavailable',
  'request_timeout',
];

const linesMax = 50;
const valueMax = 500;

const Settings = z.object({
  events: Events,
  channel: text(80).min(1, 'Must not be empty').describe('The id of the channel, or its name as `#sales`'),
});

export const slack: Connector = {
  key: 'slack',
  name: 'Slack',
  category: 'messaging',
  authType: 'oauth2',
  provider: 'slack',
  scopes: ['chat:write', 'chat:write.public'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    const { body } = await call({ url: 'https://slack.com/api/auth.test', method: 'POST' });
    checkAnswer(body);
    return accountIn(body, { id: 'team_id', name: 'team' });
  },
  async act(call, _secret, action) {
    const { channel } = Settings.parse(action.settings);
    // https://docs.slack.dev/reference/methods/chat.postMessage
    const message = { channel, text: textOf(action), mrkdwn: false, unfurl_links: false, unfurl_media: false };
    const { body } = await call({ url: 'https://slack.com/api/chat.postMessage', method: 'POST', body: message });
    checkAnswer(body);
  },
};

/** Slack answers failures with status 200. */
function checkAnswer(body: unknown): void {
  const { ok, error } = (body ?? {}) as { ok?: unknown; error?: unknown };
  if (ok === true) return;
  if (rejected.includes(String(error))) throw new CallError('credentials_rejected');
  // Without an error it is no answer of Slack.
  const isOutage = error === undefined || outages.includes(String(error));
  throw new CallError(isOutage ? 'provider_unavailable' : 'request_rejected');
}

function textOf(action: Action): string {
  const lines = fieldsOf(action)
    .slice(0, linesMax)
    .map(([name, value]) => `${escaped(name)}: ${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`);
  return [action.event.type, ...lines].join('\n');
}

/** Escapes what Slack reads as links and mentions (https://docs.slack.dev/messaging/formatting-message-text). */
function escaped(value: string): string {
  return value.slice(0, valueMax).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
