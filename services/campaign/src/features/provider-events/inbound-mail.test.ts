import { until } from '@tandem/testing';
import { type Reporting, type SentMessage, startReporting } from '../../provider-events.test-service.ts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await startReporting();
});
afterAll(() => reporting?.close());

type Api = ReturnType<Reporting['service']['as']>;

let replies = 0;

/** A message that answers another one. */
const answerTo = ({ messageId, address }: SentMessage, headers: string[] = [], thread = `In-Reply-To: ${messageId}`) =>
  [
    `From: Ada <${address}>`,
    'To: no-reply@tandem.localhost',
    `Message-ID: <reply-${++replies}@example.com>`,
    thread,
    ...headers,
    'Subject: Re: Hello',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Thank you.',
  ]
    .filter(Boolean)
    .join('\n');

/** A report about a delivery (RFC 3464). */
const deliveryReport = (
  { messageId }: SentMessage,
  status: string,
  action = 'failed',
) => `From: MAILER-DAEMON@mx.example
To: no-reply@tandem.localhost
Message-ID: <dsn-${++replies}@mx.example>
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Type: text/plain

The message could not be delivered.

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; victim@example.com
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; 550 unknown user

--b1
Content-Type: message/rfc822

From: "Tandem" <no-reply@tandem.localhost>
Message-ID: ${messageId}
Subject: Hello

Hello
--b1--
`;

const executionOf = async (api: Api, { executionId }: SentMessage) =>
  (await api.getWorkflowExecution({ params: { id: executionId } })).data;
const messageOf = async (api: Api, { id }: SentMessage) => (await api.getMessage({ params: { id } })).data;
const repliesOf = (api: Api) =>
  reporting.service.events.filter(
    ({ name, tenantId, data }) =>
      name === 'message.engaged' &&
      tenantId === api.caller.tenantId &&
      (data as { type: string }).type === 'email_reply',
  );
const valuesOf = async (api: Api) =>
  (await api.listSuppressions()).data.map(({ value, reason }: Record<string, string>) => `${value} ${reason}`);

describe('a reply', () => {
  it('ends the sequences of the lead that exit on replies, and counts once', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const mime = answerTo(sent);
    for (const _ of [1, 2]) expect((await reporting.email(mime)).data).toEqual({ received: 1 });
    expect(await executionOf(api, sent)).toMatchObject({ status: 'exited', endReason: 'reply' });
    expect((await messageOf(api, sent)).repliedAt).not.toBeNull();
    await until('analytics is told', () => repliesOf(api).length > 0);
    expect(repliesOf(api)).toMatchObject([{ data: { automated: false } }]);
  });

  it('is found by References alone', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    await reporting.email(answerTo(sent, [], `References: <first@example.com>\n ${sent.messageId}`));
    expect((await executionOf(api, sent)).endReason).toBe('reply');
  });

  it('with large attachments counts too, and one beyond 30 MiB is refused', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const attached = (mebibytes: number) => `${answerTo(sent)}\n${'x'.repeat(mebibytes * 1_048_576)}`;
    const refused = await reporting.email(attached(31));
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.field]).toEqual([
      413,
      'body_too_large',
      'body',
    ]);
    expect((await executionOf(api, sent)).status).toBe('waiting');
    expect((await reporting.email(attached(27))).data).toEqual({ received: 1 });
    expect(await executionOf(api, sent)).toMatchObject({ status: 'exited', endReason: 'reply' });
  });

  it('to a message of somebody else has no effect', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const mime = answerTo({ ...sent, messageId: '<other@example.com>' });
    expect((await reporting.email(mime)).data).toEqual({ received: 0 });
    expect((await executionOf(api, sent)).status).toBe('waiting');
  });
});

describe('an automatic reply (an out-of-office note)', () => {
  it.each([
    ['Auto-Submitted', ['Auto-Submitted: auto-replied']],
    ['Precedence', ['Precedence: auto_reply']],
    ['X-Autoreply', ['X-Autoreply: yes']],
    ['X-Auto-Response-Suppress', ['X-Auto-Response-Suppress: All']],
    ['a null Return-Path', ['Return-Path: <>']],
  ])('by %s ends nothing, and is recorded as one of software', async (_, headers) => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    expect((await reporting.email(answerTo(sent, headers))).data).toEqual({ received: 1 });
    expect((await executionOf(api, sent)).status).toBe('waiting');
    expect((await messageOf(api, sent)).repliedAt).toBeNull();
    await until('analytics is told', () => repliesOf(api).length > 0);
    expect(repliesOf(api)).toMatchObject([{ data: { automated: true } }]);
  });

  it('is recognised by its subject as a last resort, and Auto-Submitted: no is a person', async () => {
    const api = reporting.service.as();
    const [away, person] = [await reporting.sentTo(api), await reporting.sentTo(api)];
    await reporting.email(answerTo(away).replace('Subject: Re: Hello', 'Subject: Out of office: Re: Hello'));
    expect((await executionOf(api, away)).status).toBe('waiting');
    await reporting.email(answerTo(person, ['Auto-Submitted: no']));
    expect((await executionOf(api, person)).endReason).toBe('reply');
  });
});

describe('a bounce by mail', () => {
  it('suppresses the address that the message went to, not the one that the report names', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    expect((await reporting.email(deliveryReport(sent, '5.1.1'))).data).toEqual({ received: 1 });
    expect((await messageOf(api, sent)).status).toBe('bounced');
    expect(await valuesOf(api)).toEqual([`${sent.address} hard_bounce`]);
  });

  it('of a full mailbox is temporary, and a delay is none', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    await reporting.email(deliveryReport(sent, '5.2.2'));
    expect((await reporting.email(deliveryReport(sent, '4.4.1', 'delayed'))).data).toEqual({ received: 0 });
    expect((await messageOf(api, sent)).status).toBe('sent');
    const [row] = await reporting.service.sqlWithin(api.caller, 'SELECT count(*)::int AS count FROM soft_bounce');
    expect(row).toEqual({ count: 1 });
  });
});

it('needs a signature that is right and fresh', async () => {
  const api = reporting.service.as();
  const sent = await reporting.sentTo(api);
  const wrong = await reporting.email(answerTo(sent), { secret: 'another-secret-of-incoming-mail-in-tests' });
  const old = await reporting.email(answerTo(sent), { ageSeconds: 301 });
  for (const { status, body } of [wrong, old]) expect([status, body.code]).toEqual([401, 'invalid_signature']);
  expect((await executionOf(api, sent)).status).toBe('waiting');
});
