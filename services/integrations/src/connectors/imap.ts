import type { Socket } from 'node:net';
import { text } from '@tandem/contract';
import { BlockedAddressError } from '@tandem/outgoing';
import { z } from 'zod';
import { CallError, type Connector } from './connector.ts';

const lineMax = 8_192;
const defaultPort = 993;
// RFC 3501: a quoted string has no line breaks. Other characters than ASCII would need a literal.
const quotable = /^[\x20-\x7e]+$/;
const quotableMessage = 'Must be visible ASCII characters and spaces';

const Credentials = z.object({
  host: text(253).regex(/^[A-Za-z0-9.-]+$/, 'Must be a host name'),
  port: z
    .int('Must be a whole number')
    .min(1, 'Must be at least 1')
    .max(65_535, 'Must be at most 65535')
    .default(defaultPort),
  username: text(255).regex(quotable, quotableMessage),
  password: text(255).regex(quotable, quotableMessage),
});
type Credentials = z.output<typeof Credentials>;

/** A mailbox, by IMAP over TLS. */
export const imap: Connector = {
  key: 'imap',
  name: 'IMAP mailbox',
  category: 'email',
  authType: 'basic',
  provider: null,
  scopes: [],
  settings: null,
  credentials: Credentials,
  headersOf: () => ({}),
  ownAddress: (secret) => ({ field: 'host', url: `https://${(secret as Credentials).host}/` }),
  // A free choice of ports would let users look for services on the hosts of others.
  refusal: (secret, { allowsPlain }) =>
    (secret as Credentials).port === defaultPort || allowsPlain
      ? undefined
      : { field: 'port', message: `Must be ${defaultPort}` },
  async probe(_call, secret, { connect, allowsPlain }) {
    const { host, port, username, password } = secret as Credentials;
    const socket = await connect({ host, port, isTls: port === defaultPort || !allowsPlain }).catch(asCallError);
    try {
      await logIn(socket, username, password);
    } finally {
      socket.destroy();
    }
    return { id: username, name: username };
  },
};

/** Signs in and out (RFC 3501, sections 6.2.3 and 6.1.3). */
async function logIn(socket: Socket, username: string, password: string): Promise<void> {
  const lines = linesOf(socket);
  const greeting = await nextLine(lines);
  if (!greeting.startsWith('* OK')) throw new CallError('provider_unavailable');
  socket.write(`a1 LOGIN ${quoted(username)} ${quoted(password)}\r\n`);
  for (;;) {
    const line = await nextLine(lines);
    if (line.startsWith('a1 OK')) break;
    // RFC 5530: the code names an outage; any other refusal is that of the credentials.
    if (/^a1 NO \[(UNAVAILABLE|INUSE|LIMIT)\]/i.test(line)) throw new CallError('provider_unavailable');
    if (line.startsWith('a1 NO')) throw new CallError('credentials_rejected');
    if (line.startsWith('a1 ')) throw new CallError('request_rejected');
  }
  socket.end('a2 LOGOUT\r\n');
}

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The lines of a server, as they arrive. */
async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of socket) {
    rest += (chunk as Buffer).toString('latin1');
    const lines = rest.split('\r\n');
    rest = lines.pop() as string;
    yield* lines;
    if (rest.length > lineMax) return;
  }
}

async function nextLine(lines: AsyncGenerator<string>): Promise<string> {
  const { value, done } = await lines.next().catch(asCallError);
  if (done) throw new CallError('provider_unavailable');
  return value;
}

function asCallError(error: unknown): never {
  throw new CallError(error instanceof BlockedAddressError ? 'blocked_address' : 'provider_unavailable');
}
