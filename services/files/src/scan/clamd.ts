import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { outgoingGuard } from '@tandem/process';
import { type Scanner, ScannerUnavailableError, ScanUnfinishedError, type Verdict } from './scanner.ts';

const connectMs = 2_000;
// clamd scans after the last byte, which takes long for large archives.
const idleMs = 120_000;
const chunkBytesMax = 64 * 1024;
const answerBytesMax = 4 * 1024;

/**
 * Scans with ClamAV's daemon, by its command INSTREAM.
 * @param address `host:port`, or the path of a socket
 */
export function clamdScanner(address: string): Scanner {
  return {
    async isReady() {
      outgoingGuard.assertMayCall('The malware scanner');
      const socket = openSocket(address, connectMs);
      try {
        const { answer } = answerOf(socket);
        socket.write('zPING\0');
        return (await answer) === 'PONG';
      } catch {
        return false;
      } finally {
        socket.destroy();
      }
    },
    async scan(content) {
      outgoingGuard.assertMayCall('The malware scanner');
      const socket = openSocket(address);
      const sent = { isWhole: false };
      try {
        return verdictOf(await converse(socket, content, sent));
      } catch (error) {
        if (error instanceof ContentError) throw error.cause;
        const Reason = sent.isWhole ? ScanUnfinishedError : ScannerUnavailableError;
        throw new Reason(`clamd at ${address}: ${(error as Error).message}`, { cause: error });
      } finally {
        socket.destroy();
        content.destroy();
      }
    },
  };
}

/** The content could not be read, which says nothing about the scanner. */
class ContentError extends Error {}

/**
 * A connection that a failed write does not destroy. clamd closes it with its answer when the content is too long, so that
 * the next write fails while the answer is still unread. Reading then delivers the answer, or the end of the connection.
 */
class Connection extends Socket {
  /** Whether a write failed, so that clamd does not receive the rest. */
  isBroken = false;

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    super._write(chunk, encoding, (error) => {
      this.isBroken ||= Boolean(error);
      callback();
    });
  }
}

function openSocket(address: string, answerMs = idleMs): Connection {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  const socket = new Connection();
  if (host === undefined) socket.connect(address);
  else socket.connect(Number(port), host);
  socket.setTimeout(connectMs, () => socket.destroy(new Error('no answer in time')));
  socket.once('connect', () => socket.setTimeout(answerMs));
  return socket;
}

interface Answer {
  answer: Promise<string>;
  isAnswered: () => boolean;
  /** Aborted when the answer has arrived or failed. */
  settled: AbortSignal;
}

/** The answer of clamd on a connection, and whether it has arrived. */
function answerOf(socket: Socket): Answer {
  let text = '';
  let isAnswered = false;
  const settled = new AbortController();
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.length > answerBytesMax) return reject(new Error('the answer is too long'));
      if (!text.includes('\0')) return;
      isAnswered = true;
      resolve(text.slice(0, text.indexOf('\0')));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  // Also when sending fails first.
  answer.catch(() => {}).finally(() => settled.abort());
  return { answer, isAnswered: () => isAnswered, settled: settled.signal };
}

/** Sends the content in chunks with their length, until clamd answers; `sent` tells whether it received all of it. */
async function converse(socket: Connection, content: Readable, sent: { isWhole: boolean }): Promise<string> {
  const answering = answerOf(socket);
  const { answer, isAnswered } = answering;
  await Promise.race([once(socket, 'connect'), answer]);
  const send = async () => {
    await write(socket, Buffer.from('zINSTREAM\0'), answering);
    for await (const chunk of readable(content)) {
      for (let at = 0; at < chunk.length; at += chunkBytesMax) {
        // clamd answers before the end when the content is longer than its limit.
        if (isAnswered() || socket.isBroken) return;
        await sendChunk(chunk.subarray(at, at + chunkBytesMax));
      }
    }
    await write(socket, Buffer.alloc(4), answering);
    sent.isWhole = !socket.isBroken;
  };
  const sendChunk = async (chunk: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    await write(socket, Buffer.concat([length, chunk]), answering);
  };
  // A connection that clamd closes after its answer makes sending fail.
  await send().catch((error: unknown) => {
    if (error instanceof ContentError || !isAnswered()) throw error;
  });
  return answer;
}

/**
 * Writes, and waits while the scanner reads more slowly than the content arrives, until it answers. One write at a time reaches
 * `_write`.
 */
async function write(socket: Socket, bytes: Buffer, { answer, settled }: Answer): Promise<void> {
  if (settled.aborted) return void (await answer);
  await new Promise<void>((resolve, reject) => {
    // Instead of a race with the answer, which would keep something for each chunk until the end.
    const stop = () => resolve(answer.then(() => undefined));
    settled.addEventListener('abort', stop, { once: true });
    socket.write(bytes, (error) => {
      settled.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve();
    });
  });
}

async function* readable(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ContentError('The content could not be read', { cause });
  }
}

/** `stream: OK`, `stream: Eicar-Signature FOUND`, or `… ERROR`. */
function verdictOf(answer: string): Verdict {
  if (/^stream: OK$/.test(answer)) return { kind: 'clean' };
  const [, signature] = /^stream: (.{1,200}) FOUND$/.exec(answer) ?? [];
  if (signature !== undefined) return { kind: 'infected', signature };
  if (/size limit exceeded/i.test(answer))
    return { kind: 'skipped', reason: 'The content is larger than the scanner accepts' };
  throw new Error(`answered ${answer.slice(0, 200)}`);
}
