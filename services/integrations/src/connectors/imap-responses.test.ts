import { once } from 'node:events';
import { createGuardedConnect, createTarget } from '@tandem/outgoing';
import { type ImapServer, longestTurn, startImapServer } from '@tandem/testing';
import type { Sockets } from './calling.ts';
import { syncOf } from './connector.test-service.ts';
import { CallError } from './connector.ts';
import { imap } from './imap.ts';
import { responseFilter } from './imap-responses.ts';

/** The bytes of a server that pass the filter; `refused` if it fails. */
async function filtered(bytes: string, chunkBytes = bytes.length): Promise<string> {
  const filter = responseFilter();
  const chunks: Buffer[] = [];
  filter.on('data', (chunk: Buffer) => chunks.push(chunk));
  const isRead = once(filter, 'end').catch((error: unknown) => error);
  const all = Buffer.from(bytes, 'latin1');
  for (let at = 0; at < all.length; at += chunkBytes) filter.write(all.subarray(at, at + chunkBytes));
  filter.end();
  return (await isRead) instanceof CallError ? 'refused' : Buffer.concat(chunks).toString('latin1');
}
const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index).join(' ');

const header = 'Subject: x\r\n* VANISHED 1:16777216\r\n';
const passing: [string, string][] = [
  ['a greeting', '* OK [CAPABILITY IMAP4rev1] ready\r\n'],
  ['a refused command', 'A1 NO [NONEXISTENT] no such folder\r\n'],
  ['a request to continue', '+ \r\n'],
  ['numbers of a folder', '* 3 EXISTS\r\n* 0 RECENT\r\n* 2 EXPUNGE\r\n* FLAGS (\\Seen)\r\n'],
  ['a folder', '* LIST () "/" {5}\r\nINBOX\r\n'],
  ['a search', `* SEARCH ${numbers(10_000, 4_294_957_296)}\r\n`],
  ['a search without results', '* search\r\n* SEARCH \r\n'],
  ['an extended search', '* ESEARCH (TAG "A1") UID COUNT 10000 ALL 1,4294957296:4294967294\r\n'],
  ['a header that looks like a response', `* 1 FETCH (UID 1 BODY[HEADER]<0> {${header.length}}\r\n${header})\r\n`],
  ['an empty literal', '* 1 FETCH (BODY[HEADER] {0}\r\n BODY[TEXT] {0}\r\n)\r\n'],
];
const removed: [string, string][] = [
  ['an unknown response', '* STATUS INBOX (MESSAGES 1)\r\n'],
  ['an unknown response with a literal', `* X {${header.length}}\r\n${header} {2}\r\n\r\n\r\n`],
  ['a name in a literal', '* {8}\r\nVANISHED 1:16777216\r\n'],
  ['a quoted name', '* 1 "VANISHED" 1:16777216\r\n* "VANISHED" 1:16777216\r\n'],
  ['an empty line', '\r\n\n'],
];
const refused: [string, string][] = [
  ['VANISHED', '* VANISHED 1:16777216\r\n'],
  ['vanished in lower case', '* vanished (EARLIER) 1\n'],
  ['VANISHED after a number', '* 1 VANISHED 1:16777216\r\n'],
  ['VANISHED after NUL', '\0\0* VANISHED 1:16777216\r\n'],
  ['a range of 2^24', '* ESEARCH (TAG "A1") UID ALL 1:16777216\r\n'],
  ['a reversed range', '* ESEARCH UID ALL 16777216:1\r\n'],
  ['many ranges', `* ESEARCH UID ALL ${Array(3).fill('1:10000').join(',')}\r\n`],
  ['many responses', `* ESEARCH UID ALL 1:10000\r\n* SEARCH ${numbers(10_000)}\r\n* SEARCH 1\r\n`],
  ['hexadecimal ranges', '* ESEARCH UID ALL 0x1:0xffffff\r\n'],
  ['exponents', '* ESEARCH UID ALL 1:1e7\r\n'],
  ['quoted ranges', '* ESEARCH UID ALL "1:16777216"\r\n'],
  ['ranges in a literal', '* ESEARCH UID ALL {10}\r\n1:16777216\r\n'],
  ['a search of many numbers', `* SEARCH ${numbers(20_001)}\r\n`],
  ['a search of a large number', '* SEARCH 4294967296\r\n'],
  ['a search of a range', '* SEARCH 1:16777216\r\n'],
  ['a folder of too many messages', '* 4294967296 EXISTS\r\n'],
  ['a long number', `* ${'1'.repeat(400)} EXISTS\r\n`],
  ['a long line', `* OK ${'x'.repeat(16_384)}\r\n`],
  ['a long line after a literal', `* 1 FETCH (BODY[] {1}\r\nx ${'x'.repeat(16_384)})\r\n`],
  ['long lines', `* X ${'x'.repeat(250_000)}\r\n`.repeat(5)],
  ['a line without end', 'x'.repeat(262_145)],
  ['many lines', '\n'.repeat(10_001)],
  ['many bytes', `* 1 FETCH (BODY[] {99999999}\r\n${'x'.repeat(33_554_432)}`],
];

describe('the filter of responses', () => {
  it.each(passing)('passes %s', async (_, bytes) => {
    expect(await filtered(bytes)).toBe(bytes);
  });

  it.each(removed)('removes %s', async (_, bytes) => {
    expect(await filtered(`* OK 1\r\n${bytes}* OK 2\r\n`)).toBe('* OK 1\r\n* OK 2\r\n');
  });

  it.each(refused)('refuses %s', async (_, bytes) => {
    expect(await filtered(bytes)).toBe('refused');
  });

  const all = [...passing, ...removed, ...refused].filter(([, bytes]) => bytes.length < 1_000);
  it.each([1, 2, 3, 7])('does the same with chunks of %d bytes', async (chunkBytes) => {
    for (const [, bytes] of all) expect(await filtered(bytes, chunkBytes)).toBe(await filtered(bytes));
  });
});

describe('a hostile server', () => {
  let server: ImapServer;
  beforeAll(async () => {
    server = await startImapServer();
  });
  afterAll(() => server?.close());
  beforeEach(() => server.reset());

  const sockets: Sockets = {
    connect: createGuardedConnect({ target: createTarget({ allowPrivate: true }), name: 'A test', timeoutMs: 15_000 }),
    allowsPlain: true,
  };
  const outcome = () => {
    const secret = { host: '127.0.0.1', port: server.port, username: 'ada', password: 'a"b\\c' };
    const sync = syncOf(imap, { call: () => Promise.reject(new Error('No HTTP call is expected')), secret, sockets });
    return sync.read(null).then(
      ({ records }) => records.length,
      (error: unknown) => (error instanceof CallError ? error.failure : error),
    );
  };

  const examined = (tag: string) =>
    `* 16777216 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 16777217] ok\r\n${tag} OK [READ-ONLY] done\r\n`;
  const manyNumbers = `* SEARCH ${numbers(500_000)}\r\n`;
  const flags = '* 1 FETCH (FLAGS (\\Seen))\r\n';
  const nested = `* NAMESPACE ${'('.repeat(8_000)}${')'.repeat(8_000)}\r\n`;
  const attacks: [string, string, unknown][] = [
    ['VANISHED', '* VANISHED 1:16777216\r\n'.repeat(10_000), 'provider_unavailable'],
    ['a range of 2^24', '* ESEARCH UID ALL 1:16777216\r\n', 'provider_unavailable'],
    ['500,000 numbers', manyNumbers.repeat(10), 'provider_unavailable'],
    ['200,000 lines', flags.repeat(200_000), 'provider_unavailable'],
    ['many lines', flags.repeat(9_000), 0],
    ['many words', `* FLAGS (${'x '.repeat(900)})\r\n`.repeat(500), 0],
    ['more words', `* FLAGS (${'x '.repeat(1_100)})\r\n`.repeat(400), 'provider_unavailable'],
    ['nested lists', nested.repeat(60), 0],
    ['long codes', `* OK [${'['.repeat(16_000)}\r\n`.repeat(60), 0],
    ['long words', `* FLAGS (${'x'.repeat(16_000)})\r\n`.repeat(60), 0],
    ['literals', `* 1 FETCH (${`BODY[1] {100000}\r\n${'x'.repeat(100_000)} `.repeat(3)})\r\n`.repeat(100), 0],
  ];
  it.each(attacks)(
    'that sends %s does not block the event loop',
    async (_, lines, expected) => {
      server.override('EXAMINE', examined);
      server.override('UID SEARCH', (tag) => `${lines}* SEARCH\r\n${tag} OK done\r\n`);
      const outcomes: unknown[] = [];
      const longest = await longestTurn(async () => outcomes.push(await outcome()), 2);
      expect(outcomes).toEqual([expected, expected]);
      expect(longest).toBeLessThan(200);
    },
    60_000,
  );

  it('that sends VANISHED while a folder is opened, or to a test of the connection, is refused', async () => {
    const vanished = '* VANISHED 1:16777216\r\n';
    server.override('EXAMINE', (tag) => vanished + examined(tag));
    expect(await outcome()).toBe('provider_unavailable');
    server.reset();
    server.greet(`* OK ready\r\n${vanished}`);
    expect(await outcome()).toBe('provider_unavailable');
  });
});
