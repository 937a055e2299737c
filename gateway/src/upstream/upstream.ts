import { createShares, ShareTimeout } from '@tandem/process';
import { ApiError } from '../http/api-error.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { BadAnswer } from './head.ts';
import { LinkLost, type LinkReply, type LinkRequest, LinkTimeout, TooLarge } from './link.ts';
import { createLinks } from './links.ts';

export interface UpstreamRequest extends LinkRequest {
  timeoutMs: number;
  /** Whom it is for: one tenant may not have all connections. */
  tenantId: number | undefined;
  /** Whether sending it twice does no harm. */
  repeatable: boolean;
}

/** One service as the gateway reaches it. */
export interface Upstream {
  origin: string;
  breaker: Breaker;
  /** @throws ApiError 503 when the service is away or overloaded, 504 when it is slow, 502 when its answer is too large */
  send(request: UpstreamRequest): Promise<LinkReply>;
  close(): void;
}

const connectionsMax = 64;
const inFlightMax = 512;
// The rest of the connections stays free for everybody else.
const inFlightOfTenantMax = 48;
const shareWaitMs = 5_000;
const replyMax = 16 * 1024 * 1024;
const retryShare = 0.1;
const retryCreditMax = 10;
const retryAfterSeconds = 1;

/** Opens a pool of kept-alive connections to a service, with its own breaker and retry budget (D15, D17). */
export function createUpstream(origin: string): Upstream {
  const links = createLinks(origin, { max: connectionsMax, replyMax });
  const breaker = createBreaker();
  let inFlight = 0;
  const shares = createShares<number>(inFlightOfTenantMax, shareWaitMs);
  let credit = retryCreditMax;

  const send = async (request: UpstreamRequest): Promise<LinkReply> => {
    if (inFlight >= inFlightMax || !breaker.admits())
      throw new ApiError('unavailable', { retryAfter: retryAfterSeconds });
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
      throw toApiError(error);
    } finally {
      inFlight--;
      leave?.();
    }
  };

  const attempt = async (request: UpstreamRequest): Promise<LinkReply> => {
    try {
      return await links.send(request);
    } catch (error) {
      if (!request.repeatable || !(error instanceof LinkLost) || credit < 1) throw error;
      credit--;
      return links.send(request);
    }
  };

  return { origin, breaker, send, close: links.close };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof TooLarge || error instanceof BadAnswer) return new ApiError('bad_gateway');
  if (error instanceof LinkTimeout) return new ApiError('upstream_timeout', { retryAfter: retryAfterSeconds });
  return new ApiError('unavailable', { retryAfter: retryAfterSeconds });
}
