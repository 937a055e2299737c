import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Health, ServerDrain } from '@tandem/process';
import { handle } from './gateway.ts';
import { GatewayError } from './http/gateway-error.ts';
import { watchBodies } from './http/slow-bodies.ts';
import { toOriginForm } from './http/target.ts';
import { rejectRaw, unreadable, unservable } from './http/unserved.ts';
import type { GatewayParts } from './parts.ts';

const noTunnel = new GatewayError('method_not_allowed', {
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
  // The response before a pipelined one, while it was unfinished when the next request arrived.
  const previous = new WeakMap<ServerResponse, ServerResponse>();
  /** The last response on a connection that is unfinished and whose request was received completely. */
  const awaited = (socket: Duplex): ServerResponse | undefined => {
    let response = drain.latestResponse(socket);
    while (response && (response.writableFinished || !response.req.complete)) response = previous.get(response);
    return response;
  };
  const closing = new WeakSet<Duplex>();
  const reject = (socket: Duplex, error: GatewayError): void => {
    if (closing.has(socket)) return;
    const response = awaited(socket);
    // The client would read an error as the response to a request that may have taken effect.
    if (response) {
      closing.add(socket);
      if (!response.headersSent) response.setHeader('Connection', 'close');
      return void response.once('close', () => (socket as Socket).destroySoon());
    }
    const latest = drain.latestResponse(socket);
    // The client would read a second response as part of the first.
    if (latest?.headersSent && !latest.req.complete) socket.destroy();
    else rejectRaw(socket, error, parts);
  };
  const watchBody = watchBodies(server, (socket) => reject(socket, unreadable('ERR_HTTP_REQUEST_TIMEOUT')));
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const earlier = drain.latestResponse(request.socket);
    if (earlier && !earlier.writableFinished) {
      previous.set(response, earlier);
      response.once('close', () => previous.delete(response));
    }
    drain.track(request, response);
    toOriginForm(request);
    watchBody(request);
    serve(request, response).catch((error) => parts.log.error('request failed without a response', { error }));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (unservable(request)) return handle(request, response, parts);
    const path = request.url as string;
    if (path === '/healthz' || path === '/readyz') return respondToHealthCheck(path, response, health);
    await handle(request, response, parts);
  };
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => rejectRaw(socket, noTunnel, parts));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    reject(socket, unreadable(error.code));
  });
  return server;
}

async function respondToHealthCheck(path: string, response: ServerResponse, health: Health): Promise<void> {
  const answer = await health.check(path);
  response.writeHead(answer?.status ?? 404, { 'Content-Type': 'application/json' }).end(answer?.body);
}
