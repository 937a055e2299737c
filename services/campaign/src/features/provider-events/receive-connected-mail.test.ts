import { connectedMailMax, mailHeaderMax } from '@tandem/campaign-contract';
import { type Reporting, type SentMessage, startReporting } from '../../provider-events.test-service.ts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await startReporting();
});
afterAll(() => reporting?.close());

type Api = ReturnType<Reporting['service']['as']>;

let messages = 0;

/** The header of a message that answers another one, as a connector returns it. */
const answerTo = ({ messageId, address }: SentMessage, fields: string[] = []) =>
  [
    `From: Ada <${address}>`,
    'To: sales@example.com',
    `Message-ID: <answer-${++messages}@example.com>`,
    `In-Reply-To: ${messageId}`,
    'Subject: Re: Hello',
    ...fields,
  ].join('\r\n');

/** The header of a report about a delivery. Mailboxes such as Gmail return no more of it. */
const reportHeader = ({ messageId, address }: SentMessage, subject = 'Delivery Status Notification (Failure)') =>
  [
    'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    `Message-ID: <report-${++messages}@mx.example>`,
    `References: ${messageId}`,
    `In-Reply-To: ${messageId}`,
    `X-Failed-Recipients: ${address}`,
    'Auto-Submitted: auto-replied',
    `Subject: ${subject}`,
    'Content-Type: multipart/report; boundary="b1"; report-type=delivery-status',
  ].join('\r\n');

/** A report with its parts, as an IMAP server returns the beginning of a message. */
const wholeReport = (sent: SentMessage, status: string) => `${reportHeader(sent)}

--b1
Content-Type: message/delivery-status

Final-Recipient: rfc822; ${sent.address}
Action: failed
Status: ${status}

--b1
Content-Type: message/rfc822

Message-ID: ${sent.messageId}

--b1--
`;

/** Receives messages as integrations sends them, on behalf of the tenant of an API client or of another scope. */
const receive = async (api: Api, headers: string[], scope: object = {}, receivedAt = new Date()) => {
  const { tenantId, environment } = api.caller;
  const inside = reporting.service.as({ type: 'system', tenantId: tenantId as number, environment, ...scope });
  const body = { messages: headers.map((header) => ({ header, receivedAt: receivedAt.toISOString() })) };
  const reply = await inside.receiveConnectedMail({ body });
  return reply.status === 200 ? reply.data.results : [reply.status, reply.body.errors?.[0]?.field ?? reply.body.code];
};

const executionOf = async (api: Api, { executionId }: SentMessage) =>
  (await api.getWorkflowExecution({ params: { id: executionId } })).data;
const messageOf = async (api: Api, { id }: SentMessage) => (await api.getMessage({ params: { id } })).data;
const deedsOf = async (api: Api) => {
  const rows = await reporting.service.sqlWithin(
    api.caller,
    `SELECT type FROM engagement WHERE type <> 'email_sent' ORDER BY id`,
  );
  return rows.map(({ type }) => type);
};
const valuesOf = async (api: Api) =>
  (await api.listSuppressions()).data.map(({ value, reason }: Record<string, string>) => `${value} ${reason}`);

it('records a reply once, also if the mail server sends it as well', async () => {
  const api = reporting.service.as();
  const sent = await reporting.sentTo(api);
  const header = answerTo(sent);
  expect(await receive(api, [header])).toEqual(['replied']);
  expect(await executionOf(api, sent)).toMatchObject({ status: 'exited', endReason: 'reply' });
  const { repliedAt } = await messageOf(api, sent);
  expect(repliedAt).not.toBeNull();
  expect(await receive(api, [header, header])).toEqual(['replied', 'replied']);
  expect((await reporting.email(`${header}\r\n\r\nThank you.`)).data).toEqual({ received: 1 });
  expect((await messageOf(api, sent)).repliedAt).toBe(repliedAt);
  expect(await deedsOf(api)).toEqual(['email_reply']);
});

it('tells each message of a page apart', async () => {
  const api = reporting.service.as();
  const [one, two] = [await reporting.sentTo(api), await reporting.sentTo(api)];
  const other = 'Message-ID: <news@example.com>\r\nSubject: News';
  const headers = [
    other,
    answerTo(one),
    '',
    'x'.repeat(mailHeaderMax),
    answerTo(two, ['Auto-Submitted: auto-replied']),
  ];
  expect(await receive(api, headers)).toEqual(['unrelated', 'replied', 'unrelated', 'unrelated', 'auto_replied']);
  expect((await executionOf(api, one)).status).toBe('exited');
  expect((await executionOf(api, two)).status).toBe('waiting');
});

it('counts a reply from a server whose clock is behind', async () => {
  const api = reporting.service.as();
  const sent = await reporting.sentTo(api);
  const { sentAt } = await messageOf(api, sent);
  expect(await receive(api, [answerTo(sent)], {}, new Date(Date.now() - 3_600_000))).toEqual(['replied']);
  expect((await messageOf(api, sent)).repliedAt).toBe(sentAt);
});

describe('a report about a delivery', () => {
  it('of which only the header is known counts as a temporary failure, and a delay as none', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const delay = reportHeader(sent, 'Delivery Status Notification (Delay)');
    expect(await receive(api, [delay, reportHeader(sent), reportHeader(sent)])).toEqual([
      'unrelated',
      'bounced',
      'bounced',
    ]);
    expect(await valuesOf(api)).toEqual([]);
    expect(await receive(api, [reportHeader(sent)])).toEqual(['bounced']);
    expect(await valuesOf(api)).toEqual([`${sent.address} hard_bounce`]);
  });

  it('that has its parts suppresses the address that does not exist', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    expect(await receive(api, [wholeReport(sent, '5.1.1')])).toEqual(['bounced']);
    expect((await messageOf(api, sent)).status).toBe('bounced');
    expect(await valuesOf(api)).toEqual([`${sent.address} hard_bounce`]);
  });
});

it('leaves messages of other tenants and of the other environment alone', async () => {
  const api = reporting.service.as();
  const sent = await reporting.sentTo(api);
  const foreign = [{ tenantId: reporting.service.as().caller.tenantId as number }, { environment: 'sandbox' }];
  for (const scope of foreign) expect(await receive(api, [answerTo(sent)], scope)).toEqual(['unrelated']);
  expect((await executionOf(api, sent)).status).toBe('waiting');
  expect(await receive(api, [answerTo(sent)], { tenantId: undefined })).toEqual([404, 'not_found']);
});

it.each([
  ['no message', [], 'messages'],
  ['too many messages', Array(connectedMailMax + 1).fill('Subject: x'), 'messages'],
  ['a header that is too long', ['x'.repeat(mailHeaderMax + 1)], 'messages.0.header'],
  ['a NUL character', ['Subject: \0'], 'messages.0.header'],
])('refuses %s', async (_, headers, field) => {
  expect(await receive(reporting.service.as(), headers)).toEqual([422, field]);
});

it('accepts as many and as long headers as it declares', async () => {
  const header = `Subject: ${'"'.repeat(mailHeaderMax - 9)}`;
  const results = await receive(reporting.service.as(), Array(connectedMailMax).fill(header));
  expect(results).toEqual(Array(connectedMailMax).fill('unrelated'));
});
