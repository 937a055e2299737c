import { type Breaker, type BreakerState, createBreaker, createShares } from '@tandem/process';
import { createDeadlines } from '../deadlines.ts';
import { GatewayError } from '../http/gateway-error.ts';
import { type Resolve, watchAddresses } from './addresses.ts';
import { InvalidResponseError } from './head.ts';
import {
  hostOf,
  LinkLostError,
  LinkRefusedError,
  type LinkRequest,
  type LinkResponse,
  LinkTimeoutError,
  ResponseTooLargeError,
} from './link.ts';
import { createLinks, type Links } from './links.ts';

export interface UpstreamRequest extends LinkRequest {
  timeoutMs: number;
  /** The tenant of the request; its share of the connections is limited. */
  tenantId: number | undefined;
  /** Whether the request is idempotent, so that it may be retried. */
  repeatable: boolean;
}

/** One address of a service. */
export interface Instance {
  /** The host to connect to: an address, or the host name until it is resolved. */
  address: string;
  breaker: Breaker;
}

/** One service, at all addresses that its host name resolves to. */
export interface Upstream {
  origin: URL;
  /** `open` if no address may be called. */
  state(): BreakerState;
  /**
   * The next address (round robin) whose breaker admits a call. The caller reports the outcome to the breaker.
   * @throws GatewayError 503 if there is none
   */
  choose(): Instance;
  /** @throws GatewayError 503 if the service is unavailable or overloaded, 504 on a timeout, 502 on an invalid response */
  send(request: UpstreamRequest): Promise<LinkResponse>;
  close(): void;
}

const connectionsMax = 64;
const inFlightMax = 512;
// Leaves connections free for other tenants.
const inFlightPerTenantMax = 48;
const shareWaitMs = 5_000;
const responseMax = 16 * 1024 * 1024;
const retryShare = 0.1;
const retryCreditMax = 10;
const retryAfterSeconds = 1;
const deadlineTickMs = 100;
const trip = { failures: 5, share: 0.5, windowMs: 10_000 };
const openMs = 1_000;

type Pool = Instance & { links: Links };

/**
 * Opens keep-alive connections to a service, with a breaker for each of its addresses and one retry budget (D15, D17).
 * @param origin http or https
 */
export function createUpstream(origin: string, resolve?: Resolve): Upstream {
  const url = new URL(origin);
  if (!['http:', 'https:'].includes(url.protocol))
    throw new Error(`${origin}: the URL of a service must begin with http or https`);
  const deadlines = createDeadlines(deadlineTickMs);
  const shares = createShares<number>(inFlightPerTenantMax, shareWaitMs);
  let inFlight = 0;
  let credit = retryCreditMax;
  let turn = 0;

  const openPool = (address: string): Pool => ({
    address,
    breaker: createBreaker({ trip, openMs }),
    links: createLinks({ origin: url, address }, { max: connectionsMax, responseMax, deadlines }),
  });
  let pools = [openPool(hostOf(url))];
  const unwatch = watchAddresses(
    hostOf(url),
    (addresses) => {
      const before = pools;
      pools = addresses.map((address) => before.find((pool) => pool.address === address) ?? openPool(address));
      for (const pool of before) if (!pools.includes(pool)) pool.links.close();
    },
    resolve,
  );

  const choose = (except?: Pool): Pool => {
    for (let tried = 0; tried < pools.length; tried++) {
      const pool = pools[turn++ % pools.length] as Pool;
      if (pool !== except && pool.breaker.admits()) return pool;
    }
    throw unavailable();
  };
  const mayRetry = (error: unknown, { repeatable }: UpstreamRequest) =>
    credit >= 1 && (error instanceof LinkRefusedError || (error instanceof LinkLostError && repeatable));

  const attempt = async (first: Pool, request: UpstreamRequest): Promise<LinkResponse> => {
    let pool = first;
    try {
      const response = await pool.links.send(request).catch((error: unknown) => {
        if (!mayRetry(error, request)) throw error;
        credit--;
        if (pools.length > 1) {
          pool.breaker.failed();
          pool = choose(first);
        }
        return pool.links.send(request);
      });
      pool.breaker.succeeded();
      return response;
    } catch (error) {
      // A response that is too large says nothing about the health of the service.
      if (!(error instanceof ResponseTooLargeError || error instanceof GatewayError)) pool.breaker.failed();
      throw error;
    }
  };

  return {
    origin: url,
    choose: () => choose(),
    state() {
      const states = pools.map(({ breaker }) => breaker.state());
      return states.find((state) => state === 'closed') ?? states.find((state) => state === 'half-open') ?? 'open';
    },
    async send(request) {
      if (inFlight >= inFlightMax) throw unavailable();
      const first = choose();
      inFlight++;
      let release: (() => void) | undefined;
      try {
        release = await shares.enter(request.tenantId);
        credit = Math.min(retryCreditMax, credit + retryShare);
        return await attempt(first, request);
      } catch (error) {
        throw toApiError(error);
      } finally {
        inFlight--;
        release?.();
      }
    },
    close() {
      unwatch();
      for (const { links } of pools) links.close();
    },
  };
}

function unavailable(): GatewayError {
  return new GatewayError('unavailable', { retryAfter: retryAfterSeconds });
}

function toApiError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const mayHaveRun = true;
  if (error instanceof ResponseTooLargeError || error instanceof InvalidResponseError)
    return new GatewayError('bad_gateway', { mayHaveRun });
  if (error instanceof LinkTimeoutError)
    return new GatewayError('upstream_timeout', { retryAfter: retryAfterSeconds, mayHaveRun });
  if (error instanceof LinkLostError && !(error instanceof LinkRefusedError))
    return new GatewayError('unavailable', { retryAfter: retryAfterSeconds, mayHaveRun });
  return unavailable();
}
