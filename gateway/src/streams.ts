import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { countedAddress } from '@tandem/caller';
import { createShares } from '@tandem/process';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { GatewayParts, Passage, Streams } from './exchange.ts';
import { GatewayError } from './http/gateway-error.ts';
import { passedOn } from './http/headers.ts';
import { allowBodyTime } from './http/slow-bodies.ts';
import { decodeQuery } from './ids.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';
import type { Instance, Upstream } from './upstream/upstream.ts';

/** A request that is being proxied. */
interface Running {
  target: { protocol: string; hostname: string; port: string };
  path: string;
  signed: Record<string, string>;
  failed(error: unknown): void;
  /** For a form: called when the response of the service begins. */
  responded?(upstreamResponse: IncomingMessage): void;
}

// A connection that neither sends nor accepts a byte for this long counts as broken.
const idleMs = 30_000;
const formMs = 30 * 60_000;
const responseMax = 1024 * 1024;
const passagesMax = 256;
// Limit per tenant, because each passage holds two connections. Requests without credentials, such as shared file
// links, are limited by address.
const passagesPerTenantMax = 32;
const shareWaitMs = 5_000;
// Client headers that describe a body or a range; no others are passed on.
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
const responseHeaders = new Set([
  'content-type',
  'content-length',
  'content-disposition',
  'content-security-policy',
  'content-range',
  'accept-ranges',
  'transfer-encoding',
  'last-modified',
  'cache-control',
  ...passedOn,
]);

/** Proxies uploads and downloads with http-proxy-middleware. JSON requests with JSON responses are not streamed. */
export function createStreams(): Streams {
  const running = new WeakMap<IncomingMessage, Running>();
  const downloads = proxy(running, false);
  const uploads = proxy(running, true);
  const shares = createShares<number | string>(passagesPerTenantMax, shareWaitMs);
  let count = 0;

  /** Runs one passage within the global limit and the limit of its tenant or address. */
  const admitted = async <T>(
    { exchange }: Passage,
    parts: GatewayParts,
    work: (target: Running['target']) => Promise<T>,
  ) => {
    const upstream = parts.upstreams.get((exchange.route as Route).service) as Upstream;
    const release = await shares.enter(exchange.auth?.who.tenantId ?? countedAddress(exchange.ip)).catch(() => {
      throw new GatewayError('unavailable', { retryAfter: 1 });
    });
    let instance: Instance;
    try {
      // Passages waiting for their tenant's limit do not count.
      if (count >= passagesMax) throw new GatewayError('unavailable', { retryAfter: 1 });
      instance = upstream.choose();
    } catch (error) {
      release();
      throw error;
    }
    count++;
    try {
      // The connection goes to one of the service's addresses; the Host header and certificate check use its name.
      exchange.request.headers.host = upstream.origin.host;
      const { protocol, port } = upstream.origin;
      const result = await work({ protocol, port, hostname: instance.address });
      instance.breaker.succeeded();
      return result;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      // A client disconnect says nothing about upstream health, so the breaker ignores it.
      if (!exchange.request.socket.destroyed) instance.breaker.failed();
      const mayHaveRun = (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
      throw new GatewayError('unavailable', { retryAfter: 1, mayHaveRun });
    } finally {
      count--;
      release();
    }
  };

  const begin = (
    { exchange, path, signed }: Passage,
    { target, ids }: Pick<Running, 'target'> & Pick<GatewayParts, 'ids'>,
    on: Pick<Running, 'failed' | 'responded'>,
  ) => {
    const { request } = exchange;
    const query = decodeQuery(exchange.route as Route, exchange.search, exchange.auth?.who.tenantId, ids);
    // Node has already sent `100 Continue`. With this header, the proxy would send the original request headers.
    delete request.headers.expect;
    running.set(request, { target, path: path + query, signed, ...on });
  };

  return {
    upload: (passage, parts) =>
      admitted(passage, parts, async (target) => {
        const { exchange } = passage;
        const { request, response, route } = exchange;
        allowBodyTime(request, route?.row.timeoutMs ?? formMs);
        return new Promise<LinkResponse>((resolve, reject) => {
          begin(
            passage,
            { target, ids: parts.ids },
            {
              failed: reject,
              responded: (upstreamResponse) => void readResponse(upstreamResponse).then(resolve, reject),
            },
          );
          // The client disconnected, so the result is not needed.
          response.once('close', () => reject(new GatewayError('malformed_request')));
          void uploads(request, response, reject);
        });
      }),

    download: (passage, parts) =>
      admitted(passage, parts, async (target) => {
        const { request, response, headers } = passage.exchange;
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        await new Promise<void>((resolve, reject) => {
          begin(passage, { target, ids: parts.ids }, { failed: reject });
          finished(response).then(resolve, () => resolve());
          void downloads(request, response, reject);
        });
      }),
  };
}

function proxy(running: WeakMap<IncomingMessage, Running>, selfHandleResponse: boolean) {
  const of = (request: IncomingMessage) => running.get(request) as Running;
  return createProxyMiddleware({
    router: (request) => of(request).target,
    pathRewrite: (_path, request) => of(request).path,
    proxyTimeout: idleMs,
    selfHandleResponse,
    // The proxy's own error page is not in our envelope.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyReq', (outgoing, request) => setRequestHeaders(outgoing, request, of(request).signed));
        server.on('proxyRes', (upstreamResponse, request, response) => {
          of(request).responded?.(upstreamResponse);
          for (const name of Object.keys(upstreamResponse.headers))
            if (!responseHeaders.has(name)) delete upstreamResponse.headers[name];
          // A draining gateway ends its connections; the proxy would overwrite this header.
          if (response.getHeader('connection') === 'close') upstreamResponse.headers.connection = 'close';
        });
        server.on('error', (error, request) => of(request as IncomingMessage).failed(error));
      },
    ],
  });
}

/** Reads the service's response to a form, whose ids are replaced like those of any other response. */
async function readResponse(upstreamResponse: IncomingMessage): Promise<LinkResponse> {
  // Copied before the first await, because the proxy then removes the headers that are not passed on.
  const headers = { ...upstreamResponse.headers } as Record<string, string>;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of upstreamResponse) {
    size += (chunk as Buffer).length;
    if (size > responseMax) throw new GatewayError('bad_gateway', { mayHaveRun: true });
    chunks.push(chunk as Buffer);
  }
  return { status: upstreamResponse.statusCode as number, headers, body: Buffer.concat(chunks, size) };
}

function setRequestHeaders(outgoing: ClientRequest, request: IncomingMessage, signed: Record<string, string>): void {
  for (const name of outgoing.getHeaderNames()) if (name !== 'host') outgoing.removeHeader(name);
  for (const name of requestHeaders) {
    const value = request.headers[name];
    if (value !== undefined) outgoing.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(signed)) outgoing.setHeader(name, value);
}
