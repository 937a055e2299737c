import type { Socket } from 'node:net';
import { Duplex, pipeline } from 'node:stream';
import { BlockedAddressError } from '@tandem/outgoing';
import { ImapFlow, type ImapTransport, type ImapTransportSocket } from 'imapflow';
import type { Sockets } from './calling.ts';
import { CallError } from './connector.ts';
import { lineBytesMax, responseFilter } from './imap-responses.ts';

/** The port of IMAP over TLS (RFC 8314). */
export const tlsPort = 993;

export interface Credentials {
  host: string;
  port: number;
  username: string;
  password: string;
}

// Limits of one response of a server: a list of message numbers is one line, a header is one literal.
const limits = {
  maxLineLength: lineBytesMax,
  maxLiteralSize: 131_072,
  maxResponseSize: 2 * lineBytesMax,
  maxResponseTokens: 1_000,
};
// RFC 5530: a refusal with one of these codes is over after some time.
const outages = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG'];

/**
 * Signs in to a mailbox, and out at the end. The connection is one of `sockets`, which checks the address, verifies the
 * certificate of the host, and limits the time.
 * @throws CallError
 */
export async function withSession<Result>(
  { host, port, username, password }: Credentials,
  { connect, allowsPlain }: Sockets,
  work: (client: ImapFlow) => Promise<Result>,
): Promise<Result> {
  const isTls = port === tlsPort || !allowsPlain;
  const socket = await connect({ host, port, isTls }).catch(asCallError);
  const responses = responseFilter();
  const filtered = filteredSocket(socket, responses);
  const transport: ImapTransport = {
    connect(_, onConnect) {
      // The socket is connected already.
      setImmediate(onConnect);
      return filtered;
    },
  };
  const client = new ImapFlow({
    ...{ host, port, secure: isTls, doSTARTTLS: false, transport, auth: { user: username, pass: password } },
    ...{ logger: false, disableCompression: true, disableAutoIdle: true, disableAutoEnable: true },
    ...{ disableIMAP4rev2: true, ...limits },
  });
  // Errors reach the pending command too; without a listener, they would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const result = await work(client);
    await client.logout();
    return result;
  } catch (error) {
    return asCallError(responses.errored ?? error);
  } finally {
    client.close();
    filtered.destroy();
    socket.destroy();
  }
}

/** Reads a socket through a filter. An error of one of them ends both. */
function filteredSocket(socket: Socket, filter: Duplex): ImapTransportSocket {
  const duplex = Duplex.from({ readable: pipeline(socket, filter, () => {}), writable: socket });
  // The library removes its listeners before it ends the connection. Without any, an error would end the process.
  for (const stream of [socket, filter, duplex]) stream.on('error', () => {});
  return Object.assign(duplex, { setTimeout: (ms: number) => socket.setTimeout(ms) });
}

/** The failure that an error of the library stands for (https://imapflow.com/docs/guides/error-handling). */
interface ImapError {
  authenticationFailed?: boolean;
  serverResponseCode?: string;
  responseStatus?: string;
}

function asCallError(error: unknown): never {
  if (error instanceof CallError) throw error;
  if (error instanceof BlockedAddressError) throw new CallError('blocked_address');
  const { authenticationFailed, serverResponseCode = '', responseStatus } = error as ImapError;
  const isOutage = outages.includes(serverResponseCode.toUpperCase());
  if (!isOutage && authenticationFailed && responseStatus === 'NO') throw new CallError('credentials_rejected');
  if (!isOutage && (responseStatus === 'NO' || responseStatus === 'BAD')) throw new CallError('request_rejected');
  throw new CallError('provider_unavailable');
}
