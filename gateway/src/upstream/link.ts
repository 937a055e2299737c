import { connect, type Socket } from 'node:net';
import { BadAnswer, type Head, headMax, parseHead, readChunks } from './head.ts';

/** What a link sends. Header names and values are made by the gateway; `path` is what it has decoded and built. */
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

/** The connection was lost, or never there. */
export class LinkLost extends Error {}
/** The service took longer than the operation allows. */
export class LinkTimeout extends Error {}
/** The answer is larger than the gateway holds in memory. */
export class TooLarge extends Error {}

/** One kept-alive connection to a service: one request at a time, one write for each, one answer. */
export interface Link {
  send(request: LinkRequest): Promise<LinkReply>;
  isOpen(): boolean;
  /** Ends the connection; a request under way fails with `reason`. */
  destroy(reason: Error): void;
}

const connectTimeoutMs = 1_000;
const readBytes = 64 * 1024;
// All links of the process read into one buffer, one after the other: what arrives is copied out before the next read.
const readBuffer = Buffer.allocUnsafe(readBytes);

// What came from a client stands in a path or a value, and must not end its line.
const pathText = /^[!-~]+$/;
const valueText = /^[\t -~\x80-\xff]*$/;

/**
 * Opens a connection for JSON exchanges with a service of this fleet: whole answers, no streams, nothing of HTTP that our
 * own services do not use. A general client costs the gateway a third of a request (infra/bench/notes.md).
 * @param options.replyMax the most bytes of an answer's body
 * @param options.onClose told once, when the connection can no longer be used
 */
export function openLink(options: { host: string; port: number; replyMax: number; onClose: () => void }): Link {
  const { host, port, replyMax, onClose } = options;
  const authority = port === 80 ? host : `${host}:${port}`;
  let waiting: { resolve: (reply: LinkReply) => void; reject: (error: Error) => void } | undefined;
  let received: Buffer[] = [];
  let size = 0;
  let head: Head | undefined;
  let isClosed = false;

  const socket: Socket = connect({
    ...{ host, port, noDelay: true, keepAlive: true },
    onread: { buffer: readBuffer, callback: (length, buffer) => take(Buffer.from(buffer.subarray(0, length))) },
  });
  const dial = setTimeout(() => close(new LinkLost('No connection within a second')), connectTimeoutMs);
  socket.once('connect', () => clearTimeout(dial));
  socket.on('error', (error) => close(new LinkLost(error.message)));
  socket.on('close', () => close(new LinkLost('The service closed the connection')));

  const close = (reason: Error) => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(dial);
    socket.destroy();
    onClose();
    settle()?.reject(reason);
  };
  const settle = () => {
    const one = waiting;
    waiting = undefined;
    received = [];
    size = 0;
    head = undefined;
    return one;
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
    if (!waiting) throw new BadAnswer('Bytes that nobody asked for');
    received.push(chunk);
    size += chunk.length;
    if (!head) {
      const all = joined();
      head = parseHead(all);
      if (!head) {
        if (size > headMax) throw new BadAnswer('The head of the answer is too long');
        return;
      }
    }
    const { status, headers } = head;
    if (Math.max(size - head.end, head.length ?? 0) > replyMax) throw new TooLarge('The answer is too large');
    const body = bodyOf(head);
    if (!body) return;
    const done = settle();
    if (headers.connection === 'close') close(new LinkLost('The service ends the connection'));
    done?.resolve({ status, headers, body });
  };
  const bodyOf = ({ end, length }: Head): Buffer | undefined => {
    if (length === undefined) return readChunks(joined(), end);
    if (size < end + length) return undefined;
    if (size > end + length) throw new BadAnswer('More bytes than the answer said');
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
        if (!isSendable) return reject(new Error('A path or header that cannot be sent'));
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
