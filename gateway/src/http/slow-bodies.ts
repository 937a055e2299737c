import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const usualMs = 30_000;
const sweepMs = 2_000;

const granted = new WeakMap<IncomingMessage, number>();

/** Gives a request more time for its body than the usual 30 s, counted from its beginning: uploads take as long as they take. */
export function allowBodyTime(request: IncomingMessage, ms: number): void {
  granted.set(request, ms);
}

/**
 * Ends requests whose body does not arrive in time (D15), whether anybody reads it or not. Node's own requestTimeout knows
 * one time for all requests.
 * @param late what to do with such a connection
 */
export function watchBodies(server: Server, late: (socket: Duplex) => void): (request: IncomingMessage) => void {
  const begun = new Map<IncomingMessage, number>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [request, at] of begun) {
      if (request.complete || request.destroyed) begun.delete(request);
      else if (now - at > (granted.get(request) ?? usualMs)) {
        begun.delete(request);
        late(request.socket);
      }
    }
  }, sweepMs).unref();
  server.on('close', () => clearInterval(sweep));
  return (request) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && (length === undefined || length === '0')) return;
    begun.set(request, performance.now());
    request.once('end', () => begun.delete(request));
  };
}
