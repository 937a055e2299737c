import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { countedAddress } from '@tandem/caller';
import { createShares } from '@tandem/process';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { GatewayParts, Passage, Streams } from './exchange.ts';
import { ApiError } from './http/api-error.ts';
import { passedOn } from './http/headers.ts';
import { allowBodyTime } from './http/slow-bodies.ts';
import { decodeQuery } from './ids.ts';
import type { Route } from './routes.ts';
import type { LinkReply } from './upstream/link.ts';
import type { Instance, Upstream } from './upstream/upstream.ts';

/** A request that is being proxied. */
interface Running {
  target: { protocol: string; hostname: string; port: string };
  path: string;
  signed: Record<string, string>;
  failed(error: unknown): void;
  /** For a form: the service has begun to answer. */
  answered?(reply: IncomingMessage): void;
}

// A side that neither sends nor accepts a byte for so long counts as gone.
const idleMs = 30_000;
const formMs = 30 * 60_000;
const replyMax = 1024 * 1024;
const passagesMax = 256;
// Each passage holds a connection on both sides. Requests without credentials, such as shared links to files, share by address.
const passagesOfOneMax = 32;
const shareWaitMs = 5_000;
// The client's headers that describe a body or a range; no others are passed on.
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
    'content-security-policy',
    'content-range',
    'accept-ranges',
    'transfer-encoding',
    'last-modified',
    'cache-control',
  ],
  ...passedOn,
]);

/** Proxies uploads and downloads by http-proxy-middleware. JSON requests with JSON responses do not come here. */
export function createStreams(): Streams {
  const running = new WeakMap<IncomingMessage, Running>();
  const answers = proxy(running, false);
  const forms = proxy(running, true);
  const shares = createShares<number | string>(passagesOfOneMax, shareWaitMs);
  let count = 0;

  /** Runs one passage to its end, within the limits on all of them and on those of one tenant or address. */
  const admitted = async <T>(
    { exchange }: Passage,
    parts: GatewayParts,
    work: (target: Running['target']) => Promise<T>,
  ) => {
    const upstream = parts.upstreams.get((exchange.route as Route).service) as Upstream;
    const leave = await shares.enter(exchange.auth?.who.tenantId ?? countedAddress(exchange.ip)).catch(() => {
      throw new ApiError('unavailable', { retryAfter: 1 });
    });
    let instance: Instance;
    try {
      // Passages that wait for their share are not counted.
      if (count >= passagesMax) throw new ApiError('unavailable', { retryAfter: 1 });
      instance = upstream.choose();
    } catch (error) {
      leave();
      throw error;
    }
    count++;
    try {
      // The Host header names the service, also to the certificate check; the connection leads to one of its addresses.
      exchange.request.headers.host = upstream.origin.host;
      const { protocol, port } = upstream.origin;
      const result = await work({ protocol, port, hostname: instance.address });
      instance.breaker.succeeded();
      return result;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // A client disconnect says nothing about upstream health, so the breaker ignores it.
      if (!exchange.request.socket.destroyed) instance.breaker.failed();
      throw new ApiError('unavailable', { retryAfter: 1 });
    } finally {
      count--;
      leave();
    }
  };

  const begin = (
    { exchange, path, signed }: Passage,
    { target, ids }: Pick<Running, 'target'> & Pick<GatewayParts, 'ids'>,
    on: Pick<Running, 'failed' | 'answered'>,
  ) => {
    const { request } = exchange;
    const query = decodeQuery(exchange.route as Route, exchange.search, exchange.auth?.who.tenantId, ids);
    // Node has answered `100 Continue` already. With this header the proxy would send its own copy of all headers.
    delete request.headers.expect;
    running.set(request, { target, path: path + query, signed, ...on });
  };

  return {
    form: (passage, parts) =>
      admitted(passage, parts, async (target) => {
        const { exchange } = passage;
        const { request, response, route } = exchange;
        allowBodyTime(request, route?.row.timeoutMs ?? formMs);
        return new Promise<LinkReply>((resolve, reject) => {
          begin(
            passage,
            { target, ids: parts.ids },
            {
              failed: reject,
              answered: (reply) => void readReply(reply).then(resolve, reject),
            },
          );
          // The client disconnected: nobody waits for the result.
          response.once('close', () => reject(new ApiError('malformed_request')));
          void forms(request, response, reject);
        });
      }),

    answer: (passage, parts) =>
      admitted(passage, parts, async (target) => {
        const { request, response, headers } = passage.exchange;
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        await new Promise<void>((resolve, reject) => {
          begin(passage, { target, ids: parts.ids }, { failed: reject });
          finished(response).then(resolve, () => resolve());
          void answers(request, response, reject);
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
        server.on('proxyRes', (reply, request, response) => {
          of(request).answered?.(reply);
          for (const name of Object.keys(reply.headers)) if (!replyHeaders.has(name)) delete reply.headers[name];
          // A draining gateway ends its connections; the proxy would overwrite this header.
          if (response.getHeader('connection') === 'close') reply.headers.connection = 'close';
        });
        server.on('error', (error, request) => of(request as IncomingMessage).failed(error));
      },
    ],
  });
}

/** Reads the service's response to a form, whose ids are replaced like those of any other response. */
async function readReply(reply: IncomingMessage): Promise<LinkReply> {
  // Copied at once: the proxy removes what is not passed on as soon as this function waits.
  const headers = { ...reply.headers } as Record<string, string>;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply) {
    size += (chunk as Buffer).length;
    if (size > replyMax) throw new ApiError('bad_gateway');
    chunks.push(chunk as Buffer);
  }
  return { status: reply.statusCode as number, headers, body: Buffer.concat(chunks, size) };
}

function setRequestHeaders(outgoing: ClientRequest, request: IncomingMessage, signed: Record<string, string>): void {
  for (const name of outgoing.getHeaderNames()) if (name !== 'host') outgoing.removeHeader(name);
  for (const name of requestHeaders) {
    const value = request.headers[name];
    if (value !== undefined) outgoing.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(signed)) outgoing.setHeader(name, value);
}
