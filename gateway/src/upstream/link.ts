import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Head, headMax, InvalidResponseError, parseHead, readChunks } from './head.ts';

/** A request built by the gateway: no header name comes from a client. */
export interface LinkRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | string | undefined;
}

export interface LinkResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The connection was lost: the service may have received the request. */
export class LinkLostError extends Error {}
/** The connection could not be opened: the service has not received the request. */
export class LinkRefusedError extends LinkLostError {}
/** No connection became free in time: the service has not received the request. */
export class LinkBusyError extends Error {}
/** The service exceeded the timeout of the operation. */
export class LinkTimeoutError extends Error {}
/** The response exceeds the size that the gateway buffers. */
export class ResponseTooLargeError extends Error {}

/** A keep-alive connection to a service that carries one request at a time. */
export interface Link {
  send(request: LinkRequest): Promise<LinkResponse>;
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
 * features that our services use. undici takes 1.3 to 1.8 times the processor time (`npm run bench -- connections`), and
 * accepts responses without a length or with bytes after their end. Certificates of https origins are verified against
 * Node's certificate authorities and those of NODE_EXTRA_CA_CERTS.
 * @param options.responseMax maximum size of a response body, in bytes
 * @param options.onClose called once, when the connection can no longer be used
 */
export function openLink(target: LinkTarget, options: LinkOptions): Link {
  return new ServiceLink(target, options);
}

interface LinkOptions {
  responseMax: number;
  onClose: () => void;
}

interface Waiting {
  resolve: (response: LinkResponse) => void;
  reject: (error: Error) => void;
}

class ServiceLink implements Link {
  readonly #authority: string;
  readonly #responseMax: number;
  readonly #onClose: () => void;
  readonly #socket: Socket;
  readonly #connectTimer: NodeJS.Timeout;
  #isConnected = false;
  #isClosed = false;
  /** The request in flight. */
  #waiting: Waiting | undefined;
  /** The chunks received of its response, and their total size in bytes. */
  #received: Buffer[] = [];
  #size = 0;
  #head: Head | undefined;

  constructor(target: LinkTarget, { responseMax, onClose }: LinkOptions) {
    this.#authority = target.origin.host;
    this.#responseMax = responseMax;
    this.#onClose = onClose;
    this.#socket = openSocket(
      target,
      () => this.#connected(),
      (chunk) => this.#receive(chunk),
    );
    this.#connectTimer = setTimeout(
      () => this.destroy(new LinkRefusedError('Connection timed out after 1 s')),
      connectTimeoutMs,
    );
    this.#socket.on('error', ({ message }) =>
      this.destroy(this.#isConnected ? new LinkLostError(message) : new LinkRefusedError(message)),
    );
    this.#socket.on('close', () => this.destroy(new LinkLostError('The service closed the connection')));
  }

  isOpen(): boolean {
    return !this.#isClosed;
  }

  send(request: LinkRequest): Promise<LinkResponse> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new LinkLostError('The connection is closed'));
      const head = requestHead(request, this.#authority);
      if (head === undefined) return reject(new Error('Invalid character in the path or a header'));
      this.#waiting = { resolve, reject };
      this.#write(head, request.body);
    });
  }

  destroy(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#connectTimer);
    this.#socket.destroy();
    this.#onClose();
    this.#settle()?.reject(reason);
  }

  #connected(): void {
    this.#isConnected = true;
    clearTimeout(this.#connectTimer);
  }

  #write(head: string, body: Buffer | string | undefined): void {
    const socket = this.#socket;
    if (body === undefined) return void socket.write(`${head}\r\n`, 'latin1');
    const text = `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    if (typeof body === 'string')
      return void socket.write(Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]));
    socket.cork();
    socket.write(text, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  /** Returns true, so that the socket continues to read. */
  #receive(chunk: Buffer): boolean {
    try {
      this.#read(chunk);
    } catch (error) {
      this.destroy(error as Error);
    }
    return true;
  }

  #read(chunk: Buffer): void {
    if (!this.#waiting) throw new InvalidResponseError('Received data without a request');
    this.#received.push(chunk);
    this.#size += chunk.length;
    this.#head ??= parseHead(this.#joined());
    const head = this.#head;
    if (!head) {
      if (this.#size > headMax) throw new InvalidResponseError('The response head is too large');
      return;
    }
    if (Math.max(this.#size - head.end, head.length ?? 0) > this.#responseMax)
      throw new ResponseTooLargeError('The response is too large');
    const body = this.#bodyOf(head);
    if (!body) return;
    const { status, headers } = head;
    const request = this.#settle();
    if (headers.connection === 'close') this.destroy(new LinkLostError('The service is closing the connection'));
    request?.resolve({ status, headers, body });
  }

  /** The complete body; undefined until it has arrived. */
  #bodyOf({ end, length }: Head): Buffer | undefined {
    if (length === undefined) return readChunks(this.#joined(), end);
    if (this.#size < end + length) return undefined;
    if (this.#size > end + length) throw new InvalidResponseError('Received more data than the response declared');
    return this.#joined().subarray(end);
  }

  #joined(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received, this.#size)];
    return this.#received[0] as Buffer;
  }

  /** Ends the request in flight, and prepares for the next one. */
  #settle(): Waiting | undefined {
    const settled = this.#waiting;
    this.#waiting = undefined;
    this.#received = [];
    this.#size = 0;
    this.#head = undefined;
    return settled;
  }
}

/** The request line and headers without Content-Length; undefined if one of them contains an invalid character. */
function requestHead({ method, path, headers }: LinkRequest, authority: string): string | undefined {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n`;
  let isSendable = pathText.test(path);
  for (const name in headers) {
    const value = headers[name] as string;
    isSendable &&= valueText.test(value);
    text += `${name}: ${value}\r\n`;
  }
  return isSendable ? text : undefined;
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
