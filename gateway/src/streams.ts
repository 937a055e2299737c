import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { countedAddress } from '@tandem/caller';
import { createShares } from '@tandem/process';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Exchange } from './exchange.ts';
import { GatewayError } from './http/gateway-error.ts';
import { passedOn } from './http/headers.ts';
import { allowBodyTime } from './http/slow-bodies.ts';
import { decodeQuery } from './ids.ts';
import type { GatewayParts, Passage, Streams } from './parts.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';
import type { Instance, Upstream } from './upstream/upstream.ts';
import { upstreamOf } from './upstream/upstream-of.ts';

/** A request that is being proxied. */
interface Running {
  target: { protocol: string; hostname: string; port: string };
  path: string;
  signed: Record<string, string>;
  setsCookies: boolean;
  failed(error: unknown): void;
  /** For a form: called when the response of the service begins. */
  responded?(upstreamResponse: IncomingMessage): void;
}

const formMs = 30 * 60_000;
const responseMax = 1024 * 1024;
const passagesMax = 256;
// Limit per tenant, because each passage holds two connections. Requests without credentials, such as shared file
// links, are limited by address.
const passagesPerTenantMax = 32;
const shareWaitMs = 5_000;
// Limit of uploads without credentials, whose bodies anybody can send slowly: they leave passages for everybody else.
const anonymousUploadsMax = 64;
// Event streams are idle most of the time. The service limits them per tenant and user.
const liveMax = 2_000;
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

/**
 * Proxies uploads and downloads with http-proxy-middleware. JSON requests with JSON responses are not streamed.
 * @param idleMs a connection that neither sends nor accepts a byte for this long counts as broken
 */
export function createStreams(idleMs: number): Streams {
  return new ProxiedStreams(idleMs);
}

class ProxiedStreams implements Streams {
  readonly #running = new WeakMap<IncomingMessage, Running>();
  readonly #uploads: Proxy;
  readonly #downloads: Proxy;
  readonly #shares = createShares<number | string>(passagesPerTenantMax, shareWaitMs);
  #count = 0;
  #anonymousUploads = 0;
  #liveCount = 0;

  constructor(idleMs: number) {
    this.#uploads = proxy(this.#running, { idleMs, selfHandleResponse: true });
    this.#downloads = proxy(this.#running, { idleMs, selfHandleResponse: false });
  }

  upload(passage: Passage, parts: GatewayParts): Promise<LinkResponse> {
    const { request, response, route } = passage.exchange;
    return this.#admit(passage, parts, (target) => {
      allowBodyTime(request, route?.row.timeoutMs ?? formMs);
      return new Promise((resolve, reject) => {
        this.#begin(passage, {
          target,
          ids: parts.ids,
          failed: reject,
          responded: (upstreamResponse) => void readResponse(upstreamResponse).then(resolve, reject),
        });
        // The client disconnected, so the result is not needed.
        response.once('close', () => reject(new GatewayError('malformed_request')));
        void this.#uploads(request, response, reject);
      });
    });
  }

  download(passage: Passage, parts: GatewayParts): Promise<void> {
    const { request, response, headers } = passage.exchange;
    return this.#admit(passage, parts, (target) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      return new Promise((resolve, reject) => {
        this.#begin(passage, { target, ids: parts.ids, failed: reject });
        finished(response).then(resolve, () => resolve());
        void this.#downloads(request, response, reject);
      });
    });
  }

  async live(passage: Passage, parts: GatewayParts, check: () => Promise<void>): Promise<void> {
    const { exchange } = passage;
    const { request, response, headers } = exchange;
    if (this.#liveCount >= liveMax) throw new GatewayError('unavailable', { retryAfter: 5 });
    const upstream = parts.upstreams.get((exchange.route as Route).service) as Upstream;
    const instance = upstream.choose();
    this.#liveCount++;
    try {
      await this.#runAt(instance, upstream, exchange, (target) => {
        // X-Accel-Buffering tells proxies in front of the gateway not to buffer the stream.
        for (const [name, value] of Object.entries({ ...headers, 'X-Accel-Buffering': 'no' }))
          response.setHeader(name, value);
        return new Promise<void>((resolve, reject) => {
          const responded = (upstreamResponse: IncomingMessage) => {
            exchange.streamBegan = performance.now();
            const unwatch = parts.credentialWatch.add({
              endsAt: exchange.auth?.endsAt,
              check,
              end: () => response.end(),
            });
            response.once('close', () => {
              unwatch();
              upstreamResponse.destroy();
            });
          };
          this.#begin(passage, { target, ids: parts.ids, failed: reject, responded });
          finished(response).then(resolve, () => resolve());
          void this.#downloads(request, response, reject);
        });
      });
    } finally {
      this.#liveCount--;
    }
  }

  /** Runs one passage within the global limit and the limit of its tenant or address. */
  async #admit<T>(
    { exchange, path }: Passage,
    parts: GatewayParts,
    run: (target: Running['target']) => Promise<T>,
  ): Promise<T> {
    const upstream = upstreamOf(exchange.route as Route, path, parts);
    const release = await this.#shares.enter(exchange.auth?.who.tenantId ?? countedAddress(exchange.ip)).catch(() => {
      throw new GatewayError('unavailable', { retryAfter: 1 });
    });
    try {
      // Passages waiting for their tenant's limit do not count.
      const anonymous = !exchange.auth && exchange.route?.streams === 'upload' ? 1 : 0;
      if (this.#count >= passagesMax || this.#anonymousUploads + anonymous > anonymousUploadsMax)
        throw new GatewayError('unavailable', { retryAfter: 1 });
      const instance = upstream.choose();
      this.#count++;
      this.#anonymousUploads += anonymous;
      try {
        return await this.#runAt(instance, upstream, exchange, run);
      } finally {
        this.#count--;
        this.#anonymousUploads -= anonymous;
      }
    } finally {
      release();
    }
  }

  /** Runs a passage at one address of the service, and reports the outcome to its breaker. */
  async #runAt<T>(
    { address, breaker }: Instance,
    { origin }: Upstream,
    { request }: Exchange,
    run: (target: Running['target']) => Promise<T>,
  ): Promise<T> {
    try {
      // The connection goes to one of the service's addresses; the Host header and certificate check use its name.
      request.headers.host = origin.host;
      const result = await run({ protocol: origin.protocol, port: origin.port, hostname: address });
      breaker.succeeded();
      return result;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      // A client disconnect says nothing about upstream health, so the breaker ignores it.
      if (!request.socket.destroyed) breaker.failed();
      const mayHaveRun = (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
      throw new GatewayError('unavailable', { retryAfter: 1, mayHaveRun, hangUp: !request.complete });
    }
  }

  #begin(
    { exchange, path, signed }: Passage,
    { ids, ...running }: Omit<Running, 'path' | 'signed' | 'setsCookies'> & Pick<GatewayParts, 'ids'>,
  ): void {
    const { request, search, auth } = exchange;
    const route = exchange.route as Route;
    const query = decodeQuery(route, search, auth?.who.tenantId, ids);
    // Node has already sent `100 Continue`. With this header, the proxy would send the original request headers.
    delete request.headers.expect;
    this.#running.set(request, {
      ...running,
      path: path + query,
      signed,
      setsCookies: route.row.cookies !== undefined,
    });
  }
}

type Proxy = ReturnType<typeof proxy>;

function proxy(
  running: WeakMap<IncomingMessage, Running>,
  { idleMs, selfHandleResponse }: { idleMs: number; selfHandleResponse: boolean },
) {
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
        server.on('proxyReq', (outgoing, request) => {
          setRequestHeaders(outgoing, request, of(request).signed);
          // The service has received everything and waits for the client, so its breaker must not count the failure.
          outgoing.once('timeout', () => {
            if (!request.complete && request.readableLength === 0)
              of(request).failed(new GatewayError('request_timeout', { hangUp: true }));
          });
        });
        server.on('proxyRes', (upstreamResponse, request, response) => {
          of(request).responded?.(upstreamResponse);
          for (const name of Object.keys(upstreamResponse.headers))
            if (!responseHeaders.has(name) && !(name === 'set-cookie' && of(request).setsCookies))
              delete upstreamResponse.headers[name];
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
