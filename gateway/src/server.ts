import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Health, ServerDrain } from '@tandem/process';
import type { GatewayParts } from './exchange.ts';
import { handle } from './gateway.ts';
import { ApiError } from './http/api-error.ts';
import { watchBodies } from './http/slow-bodies.ts';
import { toOriginForm } from './http/target.ts';
import { refuseRaw, unreadable, unservable } from './http/unserved.ts';

const noTunnel = new ApiError('method_not_allowed', {
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
});

/** Creates the public HTTP server: limits on what a connection may send (D15, D16), health, and the gateway. */
export function createGatewayServer(
  parts: GatewayParts,
  { health, drain }: { health: Health; drain: ServerDrain },
): Server {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      // `watchBodies` enforces body timeouts, which differ by request: uploads may take longer.
      requestTimeout: 0,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
      // A request without a Host header gets an error in our envelope (http/unserved.ts).
      requireHostHeader: false,
    },
    (request, response) => take(request, response),
  );
  drain.watch(server);
  const watchBody = watchBodies(server, (socket) => {
    // The response has already been sent: just close the connection.
    if (drain.latestResponse(socket)?.headersSent) socket.destroy();
    else refuseRaw(socket, unreadable('ERR_HTTP_REQUEST_TIMEOUT'), parts);
  });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    drain.track(request, response);
    toOriginForm(request);
    watchBody(request);
    serve(request, response).catch((error) => parts.log.error('request failed without a response', { error }));
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
    const response = drain.latestResponse(socket);
    // The client would read a second response as part of the first.
    const isResponding = response?.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isResponding) return void socket.destroy();
    refuseRaw(socket, unreadable(error.code), parts);
  });
  return server;
}

async function answerHealth(path: string, response: ServerResponse, health: Health): Promise<void> {
  const answer = await health.answer(path);
  response.writeHead(answer?.status ?? 404, { 'Content-Type': 'application/json' }).end(answer?.body);
}
