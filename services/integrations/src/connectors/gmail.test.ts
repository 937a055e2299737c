import { closingCalls, syncOf } from './connector.test-service.ts';
import { CallError } from './connector.ts';
import { startGmail } from './gmail.test-service.ts';
import { gmail } from './gmail.ts';
import { CursorExpiredError, type ExternalRecord } from './sync.ts';

const localCall = closingCalls();
let server: Awaited<ReturnType<typeof startGmail>>;
beforeEach(async () => {
  server = await startGmail();
});
afterEach(() => server.close());

const connect = (accessToken = 'valid') => syncOf(gmail, { call: localCall(gmail, { accessToken }, server.url) });
const reply = { 'Message-ID': '<a@example.com>', 'In-Reply-To': '<b@tandem.example>', Subject: 'Re: Hello' };
const idsOf = (records: ExternalRecord[]) => records.map(({ id }) => id);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof CallError ? error.failure : error),
  );

describe('the first run', () => {
  it('reads the messages of the last week, and later runs the new ones', async () => {
    server.deliver(reply, { at: daysAgo(8) });
    const recent = server.deliver(reply, { at: daysAgo(6) });
    const sync = connect();
    const first = await sync.run(null);
    expect(idsOf(first.records)).toEqual([recent]);
    const next = server.deliver(reply);
    const second = await sync.run(first.cursor);
    expect(idsOf(second.records)).toEqual([next]);
    expect(idsOf((await sync.run(second.cursor)).records)).toEqual([]);
  });

  it('does not miss what arrives during it', async () => {
    for (let count = 0; count < 150; count++) server.deliver(reply);
    const sync = connect();
    const page = await sync.read(null);
    expect([page.records.length, page.isLast]).toEqual([100, false]);
    const late = server.deliver(reply);
    const rest = await sync.run(page.cursor);
    expect(idsOf((await sync.run(rest.cursor)).records)).toEqual([late]);
  });

  it('reads each label, and messages with any of them', async () => {
    const labelIds = ['INBOX', 'Label_7'];
    const before = [server.deliver(reply), server.deliver(reply, { labelIds: ['Label_7'] })];
    const other = { labelIds: ['Label_8'] };
    server.deliver(reply, other);
    const sync = connect();
    const first = await sync.run(null, { labelIds });
    expect(idsOf(first.records)).toEqual(before);
    const after = [server.deliver(reply, { labelIds: ['Label_7'] }), server.deliver(reply)];
    server.deliver(reply, other);
    expect(idsOf((await sync.run(first.cursor, { labelIds })).records)).toEqual(after);
  });

  it('reads no more messages than it needs', async () => {
    for (let count = 0; count < 20; count++) server.deliver(reply);
    const call = localCall(gmail, { accessToken: 'valid' }, server.url);
    const context = { call, secret: {}, sockets: {} as never, settings: {}, cursor: null, fieldMappings: [] };
    const page = await gmail.sync?.read({ ...context, limit: 10 });
    expect(page?.records).toHaveLength(10);
    expect(server.requests).toHaveLength(12);
  });

  it('is not read without end when its pages repeat', async () => {
    for (let count = 0; count < 150; count++) server.deliver(reply);
    const sync = connect();
    const page = await sync.read(null);
    server.reply('/messages', { body: { messages: [{ id: 'm1' }], nextPageToken: '100' } });
    expect(await failureOf(sync.read(page.cursor))).toBe('provider_unavailable');
  });

  it('ends after 1,000 messages', async () => {
    for (let count = 0; count < 1_150; count++) server.deliver(reply);
    expect((await connect().run(null)).records).toHaveLength(1_000);
  });
});

describe('a message', () => {
  it('has the header fields that tell replies and bounces, and no others', async () => {
    const at = daysAgo(1);
    const id = server.deliver(
      {
        ...reply,
        References: '<x@example.com>\r\n <b@tandem.example>',
        'auto-submitted': 'auto-replied',
        'X-Secret': 'no',
      },
      { at },
    );
    const [record] = (await connect().run(null)).records;
    expect(record).toEqual({
      kind: 'mail',
      id,
      version: String(at.getTime()),
      source: { id, threadId: `t${id}`, labelIds: ['INBOX'] },
      fields: {
        receivedAt: at.toISOString(),
        header: [
          'Message-ID: <a@example.com>',
          'In-Reply-To: <b@tandem.example>',
          'References: <x@example.com> <b@tandem.example>',
          'Subject: Re: Hello',
          'Auto-Submitted: auto-replied',
        ].join('\r\n'),
      },
    });
  });

  it('of a stranger cannot add fields, and its header stays within the limit', async () => {
    const long = 'ä'.repeat(100_000);
    server.deliver({
      Subject: `\0${long}\r\nAuto-Submitted: no\r\n\r\nbody`,
      References: `${long} <last@x>`,
      From: '\ud800x',
    });
    const [record] = (await connect().run(null)).records as Extract<ExternalRecord, { kind: 'mail' }>[];
    const lines = (record?.fields.header ?? '').split('\r\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['References', 'From', 'Subject']);
    expect(lines[0]).toMatch(/<last@x>$/);
    expect(record?.fields.header.length).toBeLessThan(65_536);
    expect(record?.fields.header.isWellFormed()).toBe(true);
  });

  it('that is gone, or that the account wrote, is left out', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    const gone = server.deliver(reply);
    server.deliver(reply, { labelIds: ['INBOX', 'SENT'] });
    const left = server.deliver(reply);
    server.remove(gone);
    expect(idsOf((await sync.run(cursor)).records)).toEqual([left]);
  });
});

describe('the history', () => {
  it('is read in pages, with a few requests at once', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    const ids = Array.from({ length: 120 }, () => server.deliver(reply));
    const page = await sync.read(cursor);
    expect(idsOf(page.records)).toEqual(ids.slice(0, 50));
    const late = server.deliver(reply);
    const rest = await sync.run(page.cursor);
    const again = await sync.run(rest.cursor);
    expect(new Set(idsOf([...page.records, ...rest.records, ...again.records]))).toEqual(new Set([...ids, late]));
    expect(server.mostAtOnce()).toBeLessThanOrEqual(5);
  });

  it('that Google has deleted makes the sync begin again', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    server.forgetHistory();
    await expect(sync.run(cursor)).rejects.toBeInstanceOf(CursorExpiredError);
  });

  it('is read from its beginning when Google does not know the page any more', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    for (let count = 0; count < 60; count++) server.deliver(reply);
    const page = await sync.read(cursor);
    server.reply('/history', server.failure(400, 'invalidArgument'), { body: firstPage('fresh') });
    const again = await sync.read(page.cursor);
    expect([idsOf(again.records), again.cursor]).toEqual([['m1'], expect.objectContaining({ pageToken: 'fresh' })]);
  });

  it('is not read without end when its pages repeat', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    for (let count = 0; count < 60; count++) server.deliver(reply);
    const page = await sync.read(cursor);
    server.reply('/history', { body: firstPage('50') });
    expect(await failureOf(sync.read(page.cursor))).toBe('provider_unavailable');
    // The first page leads to the page that Google refuses.
    server.reply('/history', server.failure(400, 'invalidArgument'), { body: firstPage('50') });
    expect(await failureOf(sync.read(page.cursor))).toBe('provider_unavailable');
  });

  /** A page of the history with the first message. */
  function firstPage(nextPageToken: string) {
    const messagesAdded = [{ message: { id: 'm1', threadId: 'tm1', labelIds: ['INBOX'] } }];
    return { history: [{ id: '1001', messagesAdded }], historyId: '2000', nextPageToken };
  }

  it('with many messages in an entry fills several pages', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    const ids = Array.from({ length: 130 }, () => server.deliver(reply));
    const messagesAdded = ids.map((id) => ({ message: { id, threadId: id, labelIds: ['INBOX'] } }));
    server.reply('/history', { body: { history: [{ id: '1', messagesAdded }], historyId: '2000' } });
    const { pages, cursor: end } = await sync.run(cursor);
    expect(pages.map(({ length }) => length)).toEqual([100, 30]);
    expect(end).toEqual({ historyId: '2000' });
  });

  it('in another form than documented does no harm', async () => {
    const sync = connect();
    const { cursor } = await sync.run(null);
    const id = server.deliver(reply);
    const message = { id, labelIds: ['INBOX'] };
    const messagesAdded = [null, 7, { message: { id: '../../x' } }, { message: { id: 7 } }, { message }];
    const history = [null, 'x', { messagesAdded: 'x' }, { messagesAdded }];
    server.reply('/history', { body: { history, historyId: '2000', nextPageToken: 7 } });
    expect(idsOf((await sync.run(cursor)).records)).toEqual([id]);
    server.reply('/history', { body: { history: [], historyId: null } });
    expect(await failureOf(sync.run(cursor))).toBe('provider_unavailable');
  });
});

it.each([
  ['a wrong token', 401, 'authError', 'credentials_rejected'],
  ['an exhausted quota', 403, 'rateLimitExceeded', 'provider_unavailable'],
  ['an exhausted quota of the user', 403, 'userRateLimitExceeded', 'provider_unavailable'],
  ['too many requests', 429, 'rateLimitExceeded', 'provider_unavailable'],
  ['a missing scope', 403, 'insufficientPermissions', 'status_403'],
  ['an outage', 503, 'backendError', 'provider_unavailable'],
])('reports %s', async (_, status, reason, failure) => {
  server.reply('/profile', server.failure(status, reason));
  expect(await failureOf(connect().run(null))).toBe(failure);
});

it('requests no more than headers, and nothing that needs another scope', async () => {
  server.deliver(reply);
  await connect().run(null);
  const calls = server.requests.map(
    ({ pathname, searchParams }) => [pathname.split('/').slice(5, 7).join('/'), searchParams] as const,
  );
  expect(calls.map(([path]) => path)).toEqual(['profile', 'messages', 'messages/m1']);
  expect(calls.every(([, query]) => !query.has('q'))).toBe(true);
  expect(calls.at(-1)?.[1].get('format')).toBe('metadata');
  expect(gmail.scopes).toEqual(['https://www.googleapis.com/auth/gmail.metadata']);
});

it.each([
  [{ labelIds: [] }],
  [{ labelIds: ['SENT'] }],
  [{ labelIds: ['a/b'] }],
  [{ labelIds: ['A', 'B', 'C', 'D', 'E', 'F'] }],
  [{ labelIds: 'INBOX' }],
])('refuses the settings %j', (settings) => {
  expect(gmail.settings?.safeParse(settings).success).toBe(false);
});
