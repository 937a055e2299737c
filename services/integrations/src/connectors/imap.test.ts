import { createGuardedConnect, createTarget } from '@tandem/outgoing';
import { type ImapServer, startImapServer } from '@tandem/testing';
import { type Integrations, startIntegrations } from '../testing.ts';
import type { Sockets } from './calling.ts';
import { syncOf } from './connector.test-service.ts';
import { CallError } from './connector.ts';
import { imap } from './imap.ts';
import type { ExternalRecord } from './sync.ts';

type MailRecord = Extract<ExternalRecord, { kind: 'mail' }>;

let server: ImapServer;
beforeAll(async () => {
  server = await startImapServer();
});
afterAll(() => server?.close());
beforeEach(() => server.reset());

describe('a connection', () => {
  let service: Integrations;
  beforeAll(async () => {
    service = await startIntegrations();
  });
  afterAll(() => service?.close());

  async function tested(credentials: object) {
    const api = service.as();
    const body = {
      connectorKey: 'imap',
      name: 'Sales mailbox',
      credentials: { host: '127.0.0.1', port: server.port, username: 'ada', password: 'a"b\\c', ...credentials },
    };
    const created = await api.createConnection({ body });
    if (created.status !== 201) return created.body.errors?.map(({ field }) => field);
    const { data } = await api.testConnection({ params: { id: created.data.id } });
    return [data.error, (await api.getConnection({ params: { id: created.data.id } })).data.status];
  }

  it('signs in to the mailbox, and out', async () => {
    expect(await tested({})).toEqual([null, 'connected']);
    expect(server.commands.filter((command) => /^LOG/.test(command))).toEqual([
      expect.stringMatching(/^LOGIN "?ada"? "a\\"b\\\\c"$/),
      'LOGOUT',
    ]);
  });

  it.each([
    ['a wrong password', { password: 'b' }, ['credentials_rejected', 'error']],
    ['an outage', { username: 'busy' }, ['provider_unavailable', 'connected']],
    ['a line break in the password', { password: 'a\r\na2 DELETE INBOX' }, ['credentials.password']],
    ['no password', { password: '' }, ['credentials.password']],
    ['a path in the host', { host: 'mail.example.com/x' }, ['credentials.host']],
    ['the metadata service', { host: '169.254.169.254' }, ['credentials.host']],
  ])('reports %s', async (_, credentials, expected) => {
    expect(await tested(credentials)).toEqual(expected);
  });

  it.each([['* BYE full\r\n'], ['HTTP/1.1 400 Bad Request\r\n\r\n'], ['x'.repeat(5_000_000)]])(
    'reports a server that greets with %.10j as unavailable',
    async (text) => {
      server.greet(text);
      expect(await tested({})).toEqual(['provider_unavailable', 'connected']);
      expect(server.commands.filter((command) => command.startsWith('LOGIN'))).toEqual([]);
    },
    20_000,
  );
});

const timeoutMs = 1_000;
const sockets: Sockets = {
  connect: createGuardedConnect({ target: createTarget({ allowPrivate: true }), name: 'A test', timeoutMs }),
  allowsPlain: true,
};
const sync = () => {
  const secret = { host: '127.0.0.1', port: server.port, username: 'ada', password: 'a"b\\c' };
  return syncOf(imap, { call: () => Promise.reject(new Error('No HTTP call is expected')), secret, sockets });
};
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof CallError ? error.failure : error),
  );
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const reply = 'Message-ID: <a@example.com>\nIn-Reply-To: <b@tandem.example>\nSubject: Re: Hello\n\nThank you.';
const uidsOf = (records: ExternalRecord[]) => records.map(({ id }) => Number(id.split('-')[1]));

/** A folder of its own for each test; returns its name and what delivers a message to it. */
let folders = 0;
function aFolder() {
  const folder = `Folder ${++folders}`;
  // The folder exists from its first message on.
  server.append(reply, { folder, at: daysAgo(30) });
  return { folder, append: (source = reply, at = new Date()) => server.append(source, { folder, at }) };
}

describe('the first run', () => {
  it('reads the messages of the last week, and later runs the new ones', async () => {
    const { folder, append } = aFolder();
    append(reply, daysAgo(9));
    const recent = append(reply, daysAgo(3));
    const first = await sync().run(null, { folder });
    expect(uidsOf(first.records)).toEqual([recent]);
    const next = [append(), append()];
    const second = await sync().run(first.cursor, { folder });
    expect(uidsOf(second.records)).toEqual(next);
    expect((await sync().run(second.cursor, { folder })).records).toEqual([]);
  });

  it('of a folder without recent messages begins at its end', async () => {
    const { folder, append } = aFolder();
    const first = await sync().run(null, { folder });
    expect(first.records).toEqual([]);
    const next = append();
    expect(uidsOf((await sync().run(first.cursor, { folder })).records)).toEqual([next]);
  });

  it('reads pages of 100 messages, and at most 1,000 in all', async () => {
    const { folder, append } = aFolder();
    const uids = Array.from({ length: 1_050 }, () => append());
    const { pages, records } = await sync().run(null, { folder });
    expect(pages.map(({ length }) => length)).toEqual(Array(10).fill(100));
    expect(uidsOf(records)).toEqual(uids.slice(-1_000));
  }, 20_000);
});

it('changes nothing in the mailbox', async () => {
  const { folder, append } = aFolder();
  append();
  await sync().run(null, { folder });
  const names = server.commands.map((command) => command.split(' ').slice(0, 1).join(' '));
  expect(names).not.toContain('SELECT');
  expect(names).toContain('EXAMINE');
  const fetches = server.commands.filter((command) => command.startsWith('UID FETCH'));
  expect(fetches).toHaveLength(1);
  expect(fetches[0]).toMatch(/BODY\.PEEK\[HEADER\]<0\.65536>/);
});

describe('a message', () => {
  it('has the header fields that tell replies and bounces, unfolded', async () => {
    const { folder, append } = aFolder();
    const at = new Date('2026-11-29T10:20:30Z');
    const source =
      'Received: x\nSUBJECT: Grüße\n from Ada\nIn-Reply-To:\n <b@tandem.example>\nno field\n: x\n\nBody: x';
    const uid = append(source, new Date(Math.max(at.getTime(), daysAgo(2).getTime())));
    const [record] = (await sync().run(null, { folder })).records as MailRecord[];
    const id = `1-${uid}`;
    expect(record).toMatchObject({ kind: 'mail', id, version: id, source: { uid, uidValidity: '1', folder } });
    expect(record?.fields.header).toBe('In-Reply-To: <b@tandem.example>\r\nSubject: Grüße from Ada');
    expect(Date.parse(record?.fields.receivedAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('that reports a delivery is read with its parts', async () => {
    const { folder, append } = aFolder();
    const report =
      'Subject: Undelivered\nContent-Type: multipart/report;\n report-type=delivery-status; boundary=b\n\n--b\nAction: failed\0';
    append(report + 'x'.repeat(200_000));
    append();
    const [record, other] = (await sync().run(null, { folder })).records as MailRecord[];
    expect(record?.fields.header).toContain('\r\nAction: failed x');
    expect(record?.fields.header.length).toBe(65_536);
    expect(other?.fields.header).not.toContain('Thank you');
  });

  it('with a header that is too long does not stop the sync', async () => {
    const { folder, append } = aFolder();
    append(`Message-ID: <long@example.com>\nTo: ${'x@example.com, '.repeat(20_000)}\nSubject: late\n\n`);
    append();
    const records = (await sync().run(null, { folder })).records as MailRecord[];
    expect(records).toHaveLength(2);
    expect(records[0]?.fields.header.length).toBeLessThan(65_536);
  });

  it('that is gone before it is read is left out', async () => {
    server.append(reply);
    const gone = server.append(reply);
    const last = server.append(reply);
    server.override('UID SEARCH', (tag) => {
      server.remove(gone);
      return `* SEARCH ${last} ${gone}\r\n${tag} OK done\r\n`;
    });
    expect(uidsOf((await sync().run(null)).records)).toEqual([last]);
  });
});

it('begins again when the server numbers its messages again', async () => {
  const first = await sync().run(null);
  server.renumber();
  const again = await sync().run(first.cursor);
  expect(again.records.length).toBeGreaterThan(0);
  expect(again.cursor).not.toMatchObject({ uidValidity: first.cursor['uidValidity'] });
});

describe('numbers with gaps', () => {
  const examined = (uidNext: number) => (tag: string) =>
    `* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT ${uidNext}] ok\r\n${tag} OK [READ-ONLY] done\r\n`;
  const searches = () => server.commands.filter((command) => command.startsWith('UID SEARCH'));
  const cursor = { uidValidity: '7', lastUid: 1 };
  beforeEach(() => server.override('UID SEARCH', (tag) => `* SEARCH\r\n${tag} OK done\r\n`));

  it('are searched in parts', async () => {
    server.override('EXAMINE', examined(25_002));
    const page = await sync().read(cursor);
    expect(page).toEqual({ records: [], cursor: { uidValidity: '7', lastUid: 25_001 }, isLast: true });
    const parts = ['2:10001', '10002:20001', '20002:25001'];
    expect(searches()).toEqual(parts.map((part) => expect.stringContaining(`UID ${part}`)));
  });

  it('are searched by several pages if there are many', async () => {
    server.override('EXAMINE', examined(4_294_967_295));
    const page = await sync().read(cursor);
    expect(page).toEqual({ records: [], cursor: { uidValidity: '7', lastUid: 500_001 }, isLast: false });
    expect(searches()).toHaveLength(50);
  });

  it('are searched from the last part in the first run', async () => {
    server.override('EXAMINE', examined(25_002));
    expect((await sync().read(null)).isLast).toBe(true);
    expect(searches()).toEqual([expect.stringMatching(/UID 15002:25001\b/)]);
    expect(searches()).toEqual([expect.stringMatching(/ SINCE /)]);
  });
});

it('reports a folder that does not exist', async () => {
  expect(await failureOf(sync().run(null, { folder: 'Nowhere' }))).toBe('request_rejected');
});

describe('a hostile server', () => {
  const row = (uid: number, header: string) =>
    `* 1 FETCH (UID ${uid} INTERNALDATE "never" BODY[HEADER]<0> {${header.length}}\r\n${header})\r\n`;

  it.each<[string, string, (tag: string) => string | undefined, string]>([
    ['no response', 'EXAMINE', () => undefined, 'provider_unavailable'],
    ['no UIDVALIDITY', 'EXAMINE', (tag) => `* 3 EXISTS\r\n${tag} OK\r\n`, 'provider_unavailable'],
    ['a refused search', 'UID SEARCH', (tag) => `${tag} NO no\r\n`, 'request_rejected'],
    ['an endless line', 'UID SEARCH', () => `* SEARCH ${'1 '.repeat(3_000_000)}`, 'provider_unavailable'],
    ['a huge literal', 'UID FETCH', () => '* 1 FETCH (UID 1 BODY[HEADER]<0> {9999999999}\r\nx', 'provider_unavailable'],
    [
      'a literal without its end',
      'UID FETCH',
      () => '* 1 FETCH (UID 1 BODY[HEADER]<0> {100}\r\nx',
      'provider_unavailable',
    ],
    [
      'endless rows',
      'UID FETCH',
      (tag) => `${row(1, 'Subject: x\r\n').repeat(1_000)}${tag} OK\r\n`,
      'provider_unavailable',
    ],
    ['nested lists', 'UID FETCH', () => `* 1 FETCH ${'('.repeat(100_000)}\r\n`, 'provider_unavailable'],
  ])('with %s ends the run', async (_, command, response, failure) => {
    const { folder, append } = aFolder();
    append();
    server.override(command, response);
    expect(await failureOf(sync().run(null, { folder }))).toBe(failure);
  });

  it('gets no records for rows that were not requested, or have another form', async () => {
    const { folder, append } = aFolder();
    const uid = append();
    const rows = [row(4_000, 'Subject: other\r\n'), '* 5 FETCH (UID x)\r\n', '* 5 FETCH (FLAGS (\\Seen))\r\n'];
    server.override('UID FETCH', (tag) => `${rows.join('')}${row(uid, 'Subject: \xff\r\n')}${tag} OK\r\n`);
    const [record, ...others] = (await sync().run(null, { folder })).records as MailRecord[];
    expect(others).toEqual([]);
    expect(record?.fields.header).toBe('Subject: \ufffd');
    expect(Math.abs(Date.parse(record?.fields.receivedAt ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('gets no password without TLS where that is required', async () => {
    const secret = { host: '127.0.0.1', port: server.port, username: 'ada', password: 'a"b\\c' };
    const strict = syncOf(imap, {
      call: () => Promise.reject(new Error()),
      secret,
      sockets: { ...sockets, allowsPlain: false },
    });
    expect(await failureOf(strict.run(null))).toBe('provider_unavailable');
    expect(server.commands).toEqual([]);
  });
});

it.each([[{ folder: '' }], [{ folder: 'a\r\nb' }], [{ folder: 'x'.repeat(256) }]])(
  'refuses the settings %j',
  (settings) => {
    expect(imap.settings?.safeParse(settings).success).toBe(false);
  },
);
