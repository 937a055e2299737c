import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { countedAddress } from '@tandem/caller';
import { createShares, relieveMemory } from '@tandem/process';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { GatewayParts, Passage, Streams } from './exchange.ts';
import { ApiError } from './http/api-error.ts';
import { passedOn } from './http/headers.ts';
import { allowBodyTime } from './http/slow-bodies.ts';
import { decodeQuery } from './ids.ts';
import type { Route } from './routes.ts';
import type { LinkReply } from './upstream/link.ts';
import type { Upstream } from './upstream/upstream.ts';

/** A passage under way. */
interface Running {
  target: string;
  path: string;
  signed: Record<string, string>;
  failed(error: unknown): void;
  /** Of a form: the service has begun to answer. */
  answered?(reply: IncomingMessage): void;
}

// Without a byte in either direction for so long, the other side is gone.
const idleMs = 30_000;
const formMs = 30 * 60_000;
const replyMax = 1024 * 1024;
const passagesMax = 256;
// Each one is a connection on both sides; the rest stays free for everybody else. Links need no credentials, so of
// somebody without any it is the address that has a share.
const passagesOfOneMax = 32;
const shareWaitMs = 5_000;
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
    'content-security-policy',
    'content-range',
    'accept-ranges',
    'transfer-encoding',
    'last-modified',
    'cache-control',
  ],
  ...passedOn,
]);

/** Uploads and downloads, by http-proxy-middleware; JSON in both directions never goes through here. */
export function createStreams(): Streams {
  const running = new WeakMap<IncomingMessage, Running>();
  const answers = proxy(running, false);
  const forms = proxy(running, true);
  const shares = createShares<number | string>(passagesOfOneMax, shareWaitMs);
  let count = 0;

  /** Runs one passage to its end, with its place among all others. */
  const admitted = async <T>({ exchange }: Passage, parts: GatewayParts, work: (upstream: Upstream) => Promise<T>) => {
    const upstream = parts.upstreams.get((exchange.route as Route).service);
    const leave = await shares.enter(exchange.auth?.who.tenantId ?? countedAddress(exchange.ip)).catch(() => {
      throw new ApiError('unavailable', { retryAfter: 1 });
    });
    // Whoever waits for a share has none of the places yet.
    if (!upstream?.breaker.admits() || count >= passagesMax) {
      leave();
      throw new ApiError('unavailable', { retryAfter: 1 });
    }
    count++;
    const relieved = relieveMemory();
    try {
      const result = await work(upstream);
      upstream.breaker.succeeded();
      return result;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Of a client that went, nothing can be said about the service.
      if (!exchange.request.socket.destroyed) upstream.breaker.failed();
      throw new ApiError('unavailable', { retryAfter: 1 });
    } finally {
      count--;
      relieved();
      leave();
    }
  };

  const begin = (
    { exchange, path, signed }: Passage,
    { target, ids }: { target: string } & Pick<GatewayParts, 'ids'>,
    on: Pick<Running, 'failed' | 'answered'>,
  ) => {
    const { request } = exchange;
    const query = decodeQuery(exchange.route as Route, exchange.search, exchange.auth?.who.tenantId, ids);
    // The client has been told to go on; with this header the proxy would pass on all others as they came.
    delete request.headers.expect;
    running.set(request, { target, path: path + query, signed, ...on });
  };

  return {
    form: (passage, parts) =>
      admitted(passage, parts, async ({ origin }) => {
        const { exchange } = passage;
        const { request, response, route } = exchange;
        allowBodyTime(request, route?.row.timeoutMs ?? formMs);
        return new Promise<LinkReply>((resolve, reject) => {
          begin(
            passage,
            { target: origin, ids: parts.ids },
            {
              failed: reject,
              answered: (reply) => void whole(reply).then(resolve, reject),
            },
          );
          // Who goes in the middle of it gets no answer, and nobody waits for one.
          response.once('close', () => reject(new ApiError('malformed_request')));
          void forms(request, response, reject);
        });
      }),

    answer: (passage, parts) =>
      admitted(passage, parts, async ({ origin }) => {
        const { request, response, headers } = passage.exchange;
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        await new Promise<void>((resolve, reject) => {
          begin(passage, { target: origin, ids: parts.ids }, { failed: reject });
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
    // Its own error page is not our envelope; the caller answers instead.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyReq', (outgoing, request) => setRequestHeaders(outgoing, request, of(request).signed));
        server.on('proxyRes', (reply, request) => {
          of(request).answered?.(reply);
          for (const name of Object.keys(reply.headers)) if (!replyHeaders.has(name)) delete reply.headers[name];
        });
        server.on('error', (error, request) => of(request as IncomingMessage).failed(error));
      },
    ],
  });
}

/** The service's answer to a form: small, and rewritten like any other. */
async function whole(reply: IncomingMessage): Promise<LinkReply> {
  // Now: what is not passed on is removed from them as soon as this waits.
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
