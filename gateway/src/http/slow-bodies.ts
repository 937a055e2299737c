import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const defaultMs = 30_000;
const sweepMs = 2_000;

const extended = new WeakMap<IncomingMessage, number>();

/** Extends the default body timeout of 30 s for one request, counted from its start: for uploads. */
export function allowBodyTime(request: IncomingMessage, ms: number): void {
  extended.set(request, ms);
}

/**
 * Ends requests whose body does not arrive in time (D15), even if nothing reads it. Node's requestTimeout is a single
 * value for all requests.
 * @param late called with the connection of such a request
 */
export function watchBodies(server: Server, late: (socket: Duplex) => void): (request: IncomingMessage) => void {
  const startTimes = new Map<IncomingMessage, number>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [request, startedAt] of startTimes) {
      if (request.complete || request.destroyed) startTimes.delete(request);
      else if (now - startedAt > (extended.get(request) ?? defaultMs)) {
        startTimes.delete(request);
        late(request.socket);
      }
    }
  }, sweepMs).unref();
  server.on('close', () => clearInterval(sweep));
  return (request) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && (length === undefined || length === '0')) return;
    startTimes.set(request, performance.now());
    request.once('end', () => startTimes.delete(request));
  };
}
