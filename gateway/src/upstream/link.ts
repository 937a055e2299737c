import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { BadAnswer, type Head, headMax, parseHead, readChunks } from './head.ts';

/** A request built by the gateway: no header name comes from a client. */
export interface LinkRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | string | undefined;
}

export interface LinkReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The connection was lost: the service may have received the request. */
export class LinkLost extends Error {}
/** The connection could not be opened: the service has not received the request. */
export class LinkRefused extends LinkLost {}
/** The service exceeded the timeout of the operation. */
export class LinkTimeout extends Error {}
/** The response exceeds the size that the gateway buffers. */
export class TooLarge extends Error {}

/** A keep-alive connection to a service that carries one request at a time. */
export interface Link {
  send(request: LinkRequest): Promise<LinkReply>;
  isOpen(): boolean;
  /** Closes the connection; a request in flight fails with `reason`. */
  destroy(reason: Error): void;
}

const connectTimeoutMs = 1_000;
const readBytes = 64 * 1024;
// Shared by all connections: each chunk is copied before the next read.
const readBuffer = Buffer.allocUnsafe(readBytes);

// Paths and values contain text from clients, which must not contain line breaks.
const pathText = /^[!-~]+$/;
const valueText = /^[\t -~\x80-\xff]*$/;

/** The destination of a connection. */
export interface LinkTarget {
  /** The origin of the service: its scheme, and the name for the Host header and the certificate check. */
  origin: URL;
  /** The host to connect to: a name, or one of its addresses. */
  address: string;
}

/**
 * Opens a connection for JSON requests to a service of this fleet: buffered responses, no streams, and only the HTTP
 * features that our services use. undici takes 1.3 to 1.4 times the processor time (`npm run bench -- connections`), and
 * accepts responses without a length or with bytes after their end. Certificates of https origins are verified against
 * Node's certificate authorities and those of NODE_EXTRA_CA_CERTS.
 * @param options.replyMax maximum size of a response body, in bytes
 * @param options.onClose called once, when the connection can no longer be used
 */
export function openLink(target: LinkTarget, options: { replyMax: number; onClose: () => void }): Link {
  const { replyMax, onClose } = options;
  const authority = target.origin.host;
  let waiting: { resolve: (reply: LinkReply) => void; reject: (error: Error) => void } | undefined;
  let received: Buffer[] = [];
  let size = 0;
  let head: Head | undefined;
  let isClosed = false;

  let isConnected = false;
  const socket = openSocket(
    target,
    () => {
      isConnected = true;
      clearTimeout(connectTimer);
    },
    (chunk) => take(chunk),
  );
  const connectTimer = setTimeout(() => close(new LinkRefused('Connection timed out after 1 s')), connectTimeoutMs);
  socket.on('error', ({ message }) => close(isConnected ? new LinkLost(message) : new LinkRefused(message)));
  socket.on('close', () => close(new LinkLost('The service closed the connection')));

  const close = (reason: Error) => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(connectTimer);
    socket.destroy();
    onClose();
    settle()?.reject(reason);
  };
  const settle = () => {
    const settled = waiting;
    waiting = undefined;
    received = [];
    size = 0;
    head = undefined;
    return settled;
  };

  const take = (chunk: Buffer): boolean => {
    try {
      read(chunk);
    } catch (error) {
      close(error as Error);
    }
    return true;
  };
  const read = (chunk: Buffer) => {
    if (!waiting) throw new BadAnswer('Received data without a request');
    received.push(chunk);
    size += chunk.length;
    if (!head) {
      const all = joined();
      head = parseHead(all);
      if (!head) {
        if (size > headMax) throw new BadAnswer('The response head is too large');
        return;
      }
    }
    const { status, headers } = head;
    if (Math.max(size - head.end, head.length ?? 0) > replyMax) throw new TooLarge('The response is too large');
    const body = bodyOf(head);
    if (!body) return;
    const request = settle();
    if (headers.connection === 'close') close(new LinkLost('The service is closing the connection'));
    request?.resolve({ status, headers, body });
  };
  const bodyOf = ({ end, length }: Head): Buffer | undefined => {
    if (length === undefined) return readChunks(joined(), end);
    if (size < end + length) return undefined;
    if (size > end + length) throw new BadAnswer('Received more data than the response declared');
    return joined().subarray(end);
  };
  const joined = (): Buffer => {
    if (received.length > 1) received = [Buffer.concat(received, size)];
    return received[0] as Buffer;
  };

  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new LinkLost('The connection is closed'));
        let text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n`;
        let isSendable = pathText.test(path);
        for (const name in headers) {
          const value = headers[name] as string;
          isSendable &&= valueText.test(value);
          text += `${name}: ${value}\r\n`;
        }
        if (!isSendable) return reject(new Error('Invalid character in the path or a header'));
        waiting = { resolve, reject };
        if (body === undefined) return void socket.write(`${text}\r\n`, 'latin1');
        text += `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
        if (typeof body === 'string')
          return void socket.write(Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]));
        socket.cork();
        socket.write(text, 'latin1');
        socket.write(body);
        socket.uncork();
      }),
    isOpen: () => !isClosed,
    destroy: close,
  };
}

/** Connects with TCP_NODELAY, over TLS for an https origin. */
function openSocket(
  { origin, address }: LinkTarget,
  onConnect: () => void,
  onData: (chunk: Buffer) => boolean,
): Socket {
  const isTls = origin.protocol === 'https:';
  const options = { host: address, port: Number(origin.port || (isTls ? 443 : 80)), noDelay: true, keepAlive: true };
  if (!isTls) {
    const callback = (length: number, buffer: Uint8Array) => onData(Buffer.from(buffer.subarray(0, length)));
    return connect({ ...options, onread: { buffer: readBuffer, callback } }, onConnect);
  }
  const name = hostOf(origin);
  // SNI does not allow IP addresses.
  const socket = connectTls({ ...options, servername: isIP(name) ? '' : name, ALPNProtocols: ['http/1.1'] }, onConnect);
  return socket.on('data', onData);
}

/** The host of an origin, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
