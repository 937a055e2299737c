import type { Provider, providerEvents } from '@tandem/campaign-contract';
import type { RawBody } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { applyByTenant, ifActive } from './by-tenant.ts';
import { configured } from './providers.ts';
import type { MailReport } from './report.ts';
import { checkSendgrid, readSendgrid } from './sendgrid.ts';
import { readSes } from './ses.ts';
import { SnsMessage } from './sns.ts';
import { applyStatus, applyWish, checkTwilio, messageOfToken, tenantsOfNumber, twilioPath, wishOf } from './twilio.ts';

type Tokens = { message?: string };
type Read = { reports: MailReport[] } | { form: URLSearchParams };

/** Checks signatures, and fetches what that needs, before any transaction. */
const readers: Record<
  z.output<typeof Provider>,
  (tools: Tools, body: RawBody, query: Tokens) => Promise<Read> | Read
> = {
  async ses(tools, { bytes }) {
    const { topics } = configured(tools.providers.ses);
    const parsed = SnsMessage.safeParse(readJson(bytes));
    if (!parsed.success)
      throw fail('validation_failed', [{ field: 'body', message: 'Must be a message of Amazon SNS' }]);
    const { data: message } = parsed;
    // Everybody with an account at Amazon can send signed messages, from topics of their own.
    if (!topics.includes(message.TopicArn)) throw fail('invalid_signature');
    await tools.providers.sns.check(message);
    if (message.Type === 'SubscriptionConfirmation') await tools.providers.sns.confirm(message);
    return { reports: message.Type === 'Notification' ? readSes(tools, message.Message) : [] };
  },
  sendgrid(tools, { bytes, headers }) {
    checkSendgrid(configured(tools.providers.sendgrid).key, bytes, headers);
    return { reports: readSendgrid(tools, readJson(bytes)) };
  },
  twilio(tools, { bytes, headers }, { message }) {
    const { secret } = configured(tools.providers.twilio);
    const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
    const url = `${tools.publicUrl}${twilioPath}${message === undefined ? '' : `?message=${message}`}`;
    checkTwilio(secret, url, form, headers['x-twilio-signature'] ?? '');
    return { form };
  },
};

export const receiveProviderEvent = (tools: Tools): Handler<typeof providerEvents.receiveProviderEvent, Read> => ({
  check: async ({ params, query, body }) => readers[params.provider](tools, body, query),
  async run(context) {
    const { found } = context;
    if ('form' in found) return { received: await applyForm(tools, context, found.form) };
    return { received: await applyByTenant(context.inTenant, tools, found.reports) };
  },
});

type Context = Parameters<
  Exclude<Handler<typeof providerEvents.receiveProviderEvent>, (...given: never[]) => unknown>['run']
>[0];

/** A status callback names its message by a token; an answer names only the number. */
async function applyForm(
  tools: Tools,
  { query, tx, inTenant }: Pick<Context, 'query' | 'tx' | 'inTenant'>,
  form: URLSearchParams,
): Promise<number> {
  if (query.message !== undefined) {
    const key = messageOfToken(tools, query.message);
    if (!key) return 0;
    const { tenantId, environment, messageId } = key;
    await ifActive(inTenant({ tenantId, environment }, (inside) => applyStatus(inside, tools, messageId, form)));
    return 1;
  }
  const wish = wishOf(form);
  const number = form.get('From') ?? '';
  if (!wish) return 0;
  for (const scope of await tenantsOfNumber(tx, tools, number))
    await ifActive(inTenant(scope, (inside) => applyWish(inside, tools, { number, wish })));
  return 1;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw fail('validation_failed', [{ field: 'body', message: 'Must be JSON' }]);
  }
}
