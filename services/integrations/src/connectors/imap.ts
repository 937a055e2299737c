import { text } from '@tandem/contract';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import { z } from 'zod';
import { CallError, type Connector } from './connector.ts';
import { searchedMax, uidMax } from './imap-responses.ts';
import { type Credentials as ImapCredentials, tlsPort, withSession } from './imap-session.ts';
import { mailHeader } from './mail-header.ts';
import { shownAsSecret } from './settings.ts';
import type { ExternalRecord, SyncContext, SyncPage } from './sync.ts';

type MailRecord = Extract<ExternalRecord, { kind: 'mail' }>;

// RFC 3501: a quoted string has no line breaks. Other characters than ASCII would need a literal.
const quotable = /^[\x20-\x7e]+$/;
const quotableMessage = 'Must be visible ASCII characters and spaces';
const recordsMax = 100;
const firstDays = 7;
const firstMessagesMax = 1_000;
// The bytes of a header, or of a delivery report, that campaign reads.
const partMax = 65_536;
// Numbers have gaps after messages were removed, so a search may find nothing. Each takes one exchange.
const searchesMax = 50;

const Credentials = z.object({
  host: text(253)
    .regex(/^[A-Za-z0-9.-]+$/, 'Must be a host name')
    .describe('The host name of the mail server'),
  port: z
    .int('Must be a whole number')
    .min(1, 'Must be at least 1')
    .max(65_535, 'Must be at most 65535')
    .default(tlsPort)
    .describe('The port, whose connections begin with TLS'),
  username: text(255).regex(quotable, quotableMessage).describe('The user name, often the address of the mailbox'),
  password: text(255)
    .regex(quotable, quotableMessage)
    .meta({ description: 'The password, or one for this application if the provider has them', ...shownAsSecret }),
});

const Settings = z.object({
  folder: text(255)
    .regex(/^[^\p{Cc}]+$/u, 'Must be the name of a folder')
    .default('INBOX')
    .describe(
      'The folder whose new messages are examined for replies and bounces of your campaigns. Only headers and delivery reports are read, and no message is marked as read',
    ),
});

/** The position of a sync: messages up to this number have been read (RFC 3501, section 2.3.1.1). */
const Cursor = z.object({
  uidValidity: z.string().regex(/^\d{1,20}$/),
  lastUid: z.int().min(0).max(uidMax),
});

/** A mailbox, by IMAP over TLS, whose new messages are examined for replies. */
export const imap: Connector = {
  key: 'imap',
  name: 'IMAP mailbox',
  category: 'email',
  authType: 'basic',
  provider: null,
  scopes: [],
  settings: Settings,
  credentials: Credentials,
  headersOf: () => ({}),
  ownAddress: (secret) => ({ field: 'host', url: `https://${(secret as unknown as ImapCredentials).host}/` }),
  // A free choice of ports would let users look for services on the hosts of others.
  refusal: (secret, { allowsPlain }) =>
    (secret as unknown as ImapCredentials).port === tlsPort || allowsPlain
      ? undefined
      : { field: 'port', message: `Must be ${tlsPort}` },
  async probe(_call, secret, sockets) {
    const credentials = Credentials.parse(secret);
    await withSession(credentials, sockets, async () => {});
    return { id: credentials.username, name: credentials.username };
  },
  nameError: () => 'Messages have no field mappings',
  sync: { kinds: () => ['mail'], everyMinutes: 5, read },
};

function read({ secret, sockets, settings, cursor, limit = recordsMax }: SyncContext): Promise<SyncPage> {
  const { folder } = Settings.parse(settings);
  const { data: at } = Cursor.safeParse(cursor);
  return withSession(Credentials.parse(secret), sockets, async (client) => {
    // EXAMINE: the folder is opened for reading only.
    const mailbox = await client.mailboxOpen(folder, { readOnly: true });
    const uidValidity = String(mailbox.uidValidity ?? '');
    // Without these numbers, new messages could not be told from old ones.
    if (!uidValidity || !mailbox.uidNext) throw new CallError('provider_unavailable');
    const highest = Math.min(mailbox.uidNext - 1, uidMax);
    // After a change of UIDVALIDITY, the numbers that were read mean other messages.
    const isKnown = at?.uidValidity === uidValidity;
    const { uids, searchedTo } = isKnown
      ? await newUids(client, at.lastUid, highest)
      : { uids: await recentUids(client, highest), searchedTo: highest };
    const page = uids.slice(0, Math.min(limit, recordsMax));
    const lastUid = page.at(-1) ?? searchedTo;
    const records = await readMessages(client, page, { folder, uidValidity });
    return { records, cursor: { uidValidity, lastUid }, isLast: page.length === uids.length && searchedTo >= highest };
  });
}

/** The numbers of the first messages after one, in ascending order, and the number up to which they are complete. */
async function newUids(
  client: ImapFlow,
  lastUid: number,
  highest: number,
): Promise<{ uids: number[]; searchedTo: number }> {
  let searchedTo = lastUid;
  for (let searches = 0; searches < searchesMax && searchedTo < highest; searches++) {
    const [from, to] = [searchedTo + 1, Math.min(searchedTo + searchedMax, highest)];
    const uids = await search(client, { uid: `${from}:${to}` });
    searchedTo = to;
    if (uids.length) return { uids, searchedTo };
  }
  return { uids: [], searchedTo };
}

/** The numbers of the messages of the last week, in ascending order. */
async function recentUids(client: ImapFlow, highest: number): Promise<number[]> {
  if (highest < 1) return [];
  const since = new Date(Date.now() - firstDays * 86_400_000);
  const uids = await search(client, { since, uid: `${Math.max(1, highest - searchedMax + 1)}:${highest}` });
  return uids.slice(-firstMessagesMax);
}

/** The numbers of the messages in a range that match a query, in ascending order. */
async function search(client: ImapFlow, query: { uid: string; since?: Date }): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new CallError('request_rejected');
  const [from = 0, to = 0] = query.uid.split(':').map(Number);
  return found.filter((uid) => Number.isInteger(uid) && uid >= from && uid <= to).sort((one, other) => one - other);
}

/** Reads the headers of messages, and the beginning of delivery reports, without those that are gone. */
async function readMessages(
  client: ImapFlow,
  uids: readonly number[],
  place: { folder: string; uidValidity: string },
): Promise<MailRecord[]> {
  const records = new Map<number, MailRecord>();
  const query = { internalDate: true, bodyParts: [{ key: 'HEADER', maxLength: partMax }] };
  for await (const { uid, internalDate, headers } of fetched(client, uids, query))
    if (headers) records.set(uid, recordOf({ uid, internalDate, headers }, place));

  const reports = uids.filter((uid) => isReport(records.get(uid)));
  for await (const { uid, source } of fetched(client, reports, { source: { start: 0, maxLength: partMax } })) {
    const record = records.get(uid);
    if (record && source) record.fields.header = beginningOf(source);
  }
  return uids.flatMap((uid) => records.get(uid) ?? []);
}

/** Fetches messages; a server may add messages that were not requested, and must not do so without end. */
async function* fetched(
  client: ImapFlow,
  uids: readonly number[],
  query: Parameters<ImapFlow['fetch']>[1],
): AsyncGenerator<FetchMessageObject> {
  if (!uids.length) return;
  let rows = 0;
  for await (const message of client.fetch(uids.join(','), { uid: true, ...query }, { uid: true })) {
    if (++rows > recordsMax * 2) throw new CallError('provider_unavailable');
    if (uids.includes(message.uid)) yield message;
  }
}

function recordOf(
  { uid, internalDate, headers }: { uid: number; internalDate?: Date | string | undefined; headers: Buffer },
  { folder, uidValidity }: { folder: string; uidValidity: string },
): MailRecord {
  const ms = new Date(internalDate ?? Number.NaN).getTime();
  const receivedAt = new Date(Number.isNaN(ms) ? Date.now() : Math.min(ms, Date.now())).toISOString();
  const id = `${uidValidity}-${uid}`;
  return {
    kind: 'mail',
    id,
    version: id,
    source: { uid, uidValidity, folder },
    fields: { header: mailHeader(fieldsIn(headers)), receivedAt },
  };
}

/** The fields of a header (RFC 5322, section 2.2), whose lines may be folded. */
function fieldsIn(header: Buffer): { name: string; value: string }[] {
  return header
    .toString('utf8')
    .split(/\r?\n(?![ \t])/)
    .flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [{ name: line.slice(0, colon).trim(), value: line.slice(colon + 1) }];
    });
}

// RFC 3464: a report names the message that it is about in its parts.
function isReport(record: MailRecord | undefined): boolean {
  const header = record?.fields.header ?? '';
  return /^content-type: *multipart\/report\b/im.test(header) && /report-type="?delivery-status/i.test(header);
}

function beginningOf(source: Buffer): string {
  // JSON and PostgreSQL cannot store NUL.
  return source.subarray(0, partMax).toString('utf8').replaceAll('\0', ' ').slice(0, partMax);
}
