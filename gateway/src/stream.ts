import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Streamer } from './exchange.ts';
import { passedOn } from './http/headers.ts';
import { Refusal } from './http/refusal.ts';
import { decodeQuery } from './ids.ts';
import type { Route } from './routes.ts';

interface Passage {
  target: string;
  path: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

const idleMs = 30_000;
// What a body needs to be understood, and nothing else of what the client sent.
const requestHeaders = [
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'range',
  'if-none-match',
  'if-range',
  'last-event-id',
];
const replyHeaders = new Set([
  ...[
    'content-type',
    'content-length',
    'content-disposition',
    'content-range',
    'accept-ranges',
    'transfer-encoding',
    'last-modified',
    'cache-control',
  ],
  ...passedOn,
]);

/** The streaming path, by http-proxy-middleware; the JSON path never goes through here. */
export function createStreamer(): Streamer {
  const passages = new WeakMap<IncomingMessage, Passage>();
  const passageOf = (request: IncomingMessage) => passages.get(request) as Passage;
  const proxy = createProxyMiddleware({
    router: (request) => passageOf(request).target,
    pathRewrite: (_path, request) => passageOf(request).path,
    proxyTimeout: idleMs,
    timeout: idleMs,
    // Its own error page is not our envelope; the caller of the streamer answers instead.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyReq', (outgoing, request) => setRequestHeaders(outgoing, request, passageOf(request).headers));
        server.on('proxyRes', (reply) => {
          for (const name of Object.keys(reply.headers)) if (!replyHeaders.has(name)) delete reply.headers[name];
        });
        server.on('error', () => {});
      },
    ],
  });

  return async (exchange, path, signed, parts) => {
    const { request, response, headers } = exchange;
    const route = exchange.route as Route;
    const upstream = parts.upstreams.get(route.service);
    if (!upstream?.breaker.admits()) throw new Refusal('unavailable', { retryAfter: 1 });
    const query = decodeQuery(route, exchange.search, exchange.auth?.who.tenantId, parts.ids);
    passages.set(request, {
      target: upstream.origin,
      path: path + query,
      headers: signed,
      timeoutMs: route.row.timeoutMs ?? idleMs,
    });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const error = await new Promise<unknown>(
      (resolve) => void proxy(request, response, resolve).then(() => resolve(undefined), resolve),
    );
    if (error && !request.destroyed) {
      upstream.breaker.failed();
      throw new Refusal('unavailable', { retryAfter: 1 });
    }
    upstream.breaker.succeeded();
    await finished(response).catch(() => {});
  };
}

function setRequestHeaders(outgoing: ClientRequest, request: IncomingMessage, signed: Record<string, string>): void {
  for (const name of outgoing.getHeaderNames()) if (name !== 'host') outgoing.removeHeader(name);
  for (const name of requestHeaders) {
    const value = request.headers[name];
    if (value !== undefined) outgoing.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(signed)) outgoing.setHeader(name, value);
}
