import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { knownErrors } from '@tandem/contract';
import type { Health, Log } from '@tandem/process';
import type { Pages } from './docs/pages.ts';
import type { GatewayParts } from './exchange.ts';
import { handle } from './gateway.ts';
import { refusalBody } from './http/refusal.ts';

/** The public HTTP server: limits on what a connection may send (D15, D16), health, documentation, and the gateway. */
export function createGatewayServer(parts: GatewayParts, pages: Pages, health: Health): Server {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
    },
    (request, response) => void serve(request, response).catch((error) => parts.log.error('request lost', { error })),
  );
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url as string;
    if (path === '/healthz' || path === '/readyz') return answerHealth(path, response, health);
    if (pages.serve(request, response)) return;
    await handle(request, response, parts);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseUnreadable(error, socket));
  return server;
}

async function answerHealth(path: string, response: ServerResponse, health: Health): Promise<void> {
  const answer = await health.answer(path);
  response.writeHead(answer?.status ?? 404, { 'Content-Type': 'application/json' }).end(answer?.body);
}

const unreadable: Record<string, keyof typeof knownErrors> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What Node's parser refused never becomes a request; it gets our envelope all the same. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const code = unreadable[error.code ?? ''] ?? 'malformed_request';
  const [status, message] = knownErrors[code];
  const body = refusalBody({ status, message, code, errors: [] }, 'unread');
  socket.end(
    `HTTP/1.1 ${status} ${message.slice(0, 40)}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
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
