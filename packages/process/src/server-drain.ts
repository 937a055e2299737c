import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as elapsed } from 'node:timers/promises';
import type { Log } from './log.ts';
import { type ShutdownStep, shutdownLimits } from './shutdown.ts';

/** Knows the connections of an HTTP server, so that the server can stop without failing a request. */
export interface ServerDrain {
  /** Notes a request; the server calls it before it handles one. */
  track(request: IncomingMessage, response: ServerResponse): void;
  /** The response to the latest request on a connection. */
  latestResponse(socket: Duplex): ServerResponse | undefined;
  /**
   * Stops the server: answers requests with `Connection: close` for `delayMs`, closes the listener, and waits for the requests
   * in flight.
   */
  stopServer(server: Server, options: { delayMs: number; log: Log }): ShutdownStep;
}

// A keep-alive client that is active sends its next request within this time and is told to close the connection. One that
// stays silent for so long is unlikely to send at the very moment at which its connection is closed.
const idleGraceMs = 1_000;
const pollMs = 20;

/** Creates the drain of one HTTP server. */
export function createServerDrain(): ServerDrain {
  const responses = new Map<Duplex, ServerResponse>();
  let isDraining = false;

  const begin = () => {
    isDraining = true;
    for (const response of responses.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const hasIdleConnections = () => responses.values().some((response) => response.writableFinished);
  const waitForActiveClients = async (delayMs: number) => {
    const began = performance.now();
    const waited = () => performance.now() - began;
    while (waited() < delayMs || (hasIdleConnections() && waited() < idleGraceMs)) await elapsed(pollMs);
  };

  return {
    track(request, response) {
      const { socket } = request;
      // Node goes on answering `Connection: keep-alive` while a server closes, so under load it would never become idle.
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
        await closeServer(server, log);
      },
    }),
  };
}

/** Closes the listener and the idle connections, waits for requests in flight, and cuts them off after their time. */
async function closeServer(server: Server, log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // A response that had begun before the drain leaves its connection open.
  const sweep = setInterval(() => server.closeIdleConnections(), pollMs);
  const cutOff = setTimeout(() => {
    log.warn('requests cut off at shutdown');
    server.closeAllConnections();
    resolve();
  }, shutdownLimits.requestsMs);
  await promise;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
