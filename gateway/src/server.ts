import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Health, Log } from '@tandem/process';
import type { GatewayParts } from './exchange.ts';
import { handle } from './gateway.ts';
import { ApiError } from './http/api-error.ts';
import { watchBodies } from './http/slow-bodies.ts';
import { toOriginForm } from './http/target.ts';
import { refuseRaw, unreadable, unservable } from './http/unserved.ts';

const noTunnel = new ApiError('method_not_allowed', {
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
});

/** The public HTTP server: limits on what a connection may send (D15, D16), health, and the gateway. */
export function createGatewayServer(parts: GatewayParts, health: Health): Server {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      // Bodies have their own watch: an upload may take longer than a form.
      requestTimeout: 0,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
      // Ours to refuse, in our envelope.
      requireHostHeader: false,
    },
    (request, response) => take(request, response),
  );
  /** The last answer begun on a connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  const watchBody = watchBodies(server, (socket) => {
    // Who has an answer already is only being listened to.
    if (answers.get(socket)?.headersSent) socket.destroy();
    else refuseRaw(socket, unreadable('ERR_HTTP_REQUEST_TIMEOUT'), parts);
  });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    answers.set(request.socket, response);
    toOriginForm(request);
    watchBody(request);
    serve(request, response).catch((error) => parts.log.error('request lost', { error }));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (unservable(request)) return handle(request, response, parts);
    const path = request.url as string;
    if (path === '/healthz' || path === '/readyz') return answerHealth(path, response, health);
    await handle(request, response, parts);
  };
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => refuseRaw(socket, noTunnel, parts));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // In the middle of an answer another one would be read as a part of it.
    const isMidway = answer?.headersSent && !answer.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isMidway) return void socket.destroy();
    refuseRaw(socket, unreadable(error.code), parts);
  });
  return server;
}

async function answerHealth(path: string, response: ServerResponse, health: Health): Promise<void> {
  const answer = await health.answer(path);
  response.writeHead(answer?.status ?? 404, { 'Content-Type': 'application/json' }).end(answer?.body);
}

/** Stops accepting, lets running requests end, and cuts off what is left after `drainMs`. */
export function closeServer(server: Server, log: Log, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => {
      log.warn('connections cut off at shutdown');
      server.closeAllConnections();
      resolve();
    }, drainMs).unref();
  });
}
