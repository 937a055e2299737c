import { createShares, ShareTimeout } from '@tandem/process';
import { Pool } from 'undici';
import { Refusal } from '../http/refusal.ts';
import { type Breaker, createBreaker } from './breaker.ts';

export interface UpstreamRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | string | undefined;
  timeoutMs: number;
  /** Whom it is for: one tenant may not have all connections. */
  tenantId: number | undefined;
  /** Whether sending it twice does no harm. */
  repeatable: boolean;
}

export interface UpstreamReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** One service as the gateway reaches it. */
export interface Upstream {
  origin: string;
  breaker: Breaker;
  /** @throws Refusal 503 when the service is away or overloaded, 504 when it is slow, 502 when its answer is too large */
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  close(): Promise<void>;
}

const connectionsMax = 64;
const inFlightMax = 512;
// The rest of the connections stays free for everybody else.
const inFlightOfTenantMax = 48;
const shareWaitMs = 5_000;
const replyMax = 16 * 1024 * 1024;
const connectTimeoutMs = 1_000;
const retryShare = 0.1;
const retryCreditMax = 10;
const retryAfterSeconds = 1;

/** Opens a pool of kept-alive connections to a service, with its own breaker and retry budget (D15, D17). */
export function createUpstream(origin: string): Upstream {
  const pool = new Pool(origin, {
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    connect: { timeout: connectTimeoutMs, noDelay: true },
  });
  const breaker = createBreaker();
  let inFlight = 0;
  const shares = createShares<number>(inFlightOfTenantMax, shareWaitMs);
  let credit = retryCreditMax;

  const send = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    if (inFlight >= inFlightMax || !breaker.admits())
      throw new Refusal('unavailable', { retryAfter: retryAfterSeconds });
    inFlight++;
    let leave: (() => void) | undefined;
    try {
      leave = await shares.enter(request.tenantId);
      credit = Math.min(retryCreditMax, credit + retryShare);
      const reply = await attempt(request);
      breaker.succeeded();
      return reply;
    } catch (error) {
      if (!(error instanceof TooLarge || error instanceof ShareTimeout)) breaker.failed();
      throw refusal(error);
    } finally {
      inFlight--;
      leave?.();
    }
  };

  const attempt = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    try {
      return await exchange(pool, request);
    } catch (error) {
      if (!request.repeatable || !isConnectionLoss(error) || credit < 1) throw error;
      credit--;
      return exchange(pool, request);
    }
  };

  return { origin, breaker, send, close: () => pool.close() };
}

class TooLarge extends Error {}

/** One request over the pool. The handler interface of undici spares a stream per answer. */
function exchange(pool: Pool, { method, path, headers, body, timeoutMs }: UpstreamRequest): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let replyHeaders: UpstreamReply['headers'] = {};
    let size = 0;
    const chunks: Buffer[] = [];
    pool.dispatch(
      { method: method as 'GET', path, headers, body: body ?? null, headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      {
        onRequestStart() {},
        onResponseStart(_controller, code, received) {
          status = code;
          replyHeaders = received as UpstreamReply['headers'];
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size > replyMax) controller.abort(new TooLarge('The answer is too large'));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          resolve({
            status,
            headers: replyHeaders,
            body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size),
          });
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}

const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
]);
const slowCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function isConnectionLoss(error: unknown): boolean {
  return lostCodes.has((error as { code?: string }).code ?? '');
}

function refusal(error: unknown): Refusal {
  const code = (error as { code?: string }).code ?? '';
  if (error instanceof TooLarge) return new Refusal('bad_gateway');
  if (slowCodes.has(code)) return new Refusal('upstream_timeout', { retryAfter: retryAfterSeconds });
  return new Refusal('unavailable', { retryAfter: retryAfterSeconds });
}
