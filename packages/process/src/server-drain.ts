import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as elapsed, setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from './log.ts';
import { type ShutdownStep, shutdownLimits } from './shutdown.ts';

/** Tracks the connections of an HTTP server, so that it can stop without failing a request. */
export interface ServerDrain {
  /** Tracks the connections of a server; called before the server listens. */
  watch(server: Server): void;
  /** Tracks a request; the server calls it before it handles one. */
  track(request: IncomingMessage, response: ServerResponse): void;
  /** The response to the latest request on a connection. */
  latestResponse(socket: Duplex): ServerResponse | undefined;
  /**
   * Stops the server: answers requests with `Connection: close` for `delayMs`, closes the listener, and waits for the
   * requests in flight. A connection whose request has not arrived a second later is closed.
   */
  stopServer(server: Server, options: { delayMs: number; log: Log }): ShutdownStep;
}

// An active keep-alive client sends its next request within this time and gets `Connection: close`. A client that is
// idle for longer is unlikely to send a request at the moment its connection is closed.
const idleGraceMs = 1_000;
const pollMs = 20;

/** Creates the drain of one HTTP server. */
export function createServerDrain(): ServerDrain {
  const connections = new Set<Duplex>();
  const responses = new Map<Duplex, ServerResponse>();
  let isDraining = false;

  const begin = () => {
    isDraining = true;
    for (const response of responses.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  // Event streams would stay open until the time limit. Their clients reconnect to another instance.
  const endEventStreams = () => {
    for (const response of responses.values())
      if (!response.writableEnded && String(response.getHeader('content-type')).startsWith('text/event-stream'))
        response.end();
  };
  const hasIdleConnections = () => responses.values().some((response) => response.writableFinished);
  // Node counts a connection as active from its first byte, and a new one even before.
  const closeUnused = () => {
    for (const socket of connections) if (responses.get(socket)?.writableFinished ?? true) socket.destroy();
  };
  const waitForActiveClients = async (delayMs: number) => {
    const began = performance.now();
    const waited = () => performance.now() - began;
    while (waited() < delayMs || (hasIdleConnections() && waited() < idleGraceMs)) {
      if (waited() >= delayMs) endEventStreams();
      await elapsed(pollMs);
    }
  };

  return {
    watch(server) {
      server.on('connection', (socket) => {
        connections.add(socket);
        socket.once('close', () => connections.delete(socket));
      });
    },
    track(request, response) {
      const { socket } = request;
      // Node keeps answering `Connection: keep-alive` while a server closes, so under load the server would never
      // become idle.
      if (isDraining) response.setHeader('Connection', 'close');
      if (!responses.has(socket)) socket.once('close', () => responses.delete(socket));
      responses.set(socket, response);
    },
    latestResponse: (socket) => responses.get(socket),
    stopServer: (server, { delayMs, log }) => ({
      name: 'requests',
      withinMs: delayMs + idleGraceMs + shutdownLimits.requestsMs + idleGraceMs,
      async run() {
        begin();
        await waitForActiveClients(delayMs);
        await nextTurn();
        await closeServer(server, { closeUnused, endEventStreams, log });
      },
    }),
  };
}

/**
 * Closes the listener and idle connections, waits for requests in flight, and aborts them after the time limit.
 * Connections are closed by immediates: after a pause of the process, timers run before the requests that arrived during
 * the pause are read, and a connection with such a request looks idle.
 */
async function closeServer(
  server: Server,
  { closeUnused, endEventStreams, log }: { closeUnused: () => void; endEventStreams: () => void; log: Log },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // A response that began before the drain leaves its connection open.
  const sweep = setInterval(() => {
    endEventStreams();
    setImmediate(() => server.closeIdleConnections());
  }, pollMs);
  // Until then the headers of a request that was sent before the listener closed have arrived.
  const graceEnd = setTimeout(() => setImmediate(closeUnused), idleGraceMs);
  const cutOff = setTimeout(() => {
    log.warn('requests aborted at shutdown');
    server.closeAllConnections();
    resolve();
  }, shutdownLimits.requestsMs);
  await promise;
  clearInterval(sweep);
  clearTimeout(graceEnd);
  clearTimeout(cutOff);
}
