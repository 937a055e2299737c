import { type Breaker, type BreakerState, createBreaker, createShares } from '@tandem/process';
import { createDeadlines } from '../deadlines.ts';
import { GatewayError } from '../http/gateway-error.ts';
import { type Resolve, watchAddresses } from './addresses.ts';
import { InvalidResponseError } from './head.ts';
import {
  hostOf,
  LinkBusyError,
  LinkLostError,
  LinkRefusedError,
  type LinkResponse,
  LinkTimeoutError,
  ResponseTooLargeError,
} from './link.ts';
import { createLinks, type Links, type PooledRequest } from './links.ts';

/** `timeoutMs` is for the whole call: the waits for a share and for a connection, and the response. */
export interface UpstreamRequest extends PooledRequest {
  /** The tenant of the request; its share of the connections is limited. */
  tenantId: number | undefined;
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
  return new PooledUpstream(url, resolve);
}

class PooledUpstream implements Upstream {
  readonly origin: URL;
  readonly #deadlines = createDeadlines(deadlineTickMs);
  readonly #shares = createShares<number>(inFlightPerTenantMax, shareWaitMs);
  readonly #unwatch: () => void;
  #pools: Pool[];
  #inFlight = 0;
  /** Retries that may be sent now; each request adds a fraction of one. */
  #retryCredit = retryCreditMax;
  #turn = 0;

  constructor(origin: URL, resolve: Resolve | undefined) {
    this.origin = origin;
    const host = hostOf(origin);
    this.#pools = [this.#openPool(host)];
    this.#unwatch = watchAddresses(host, (addresses) => this.#replacePools(addresses), resolve);
  }

  state(): BreakerState {
    const states = this.#pools.map(({ breaker }) => breaker.state());
    return states.find((state) => state === 'closed') ?? states.find((state) => state === 'half-open') ?? 'open';
  }

  choose(): Instance {
    return this.#choosePool();
  }

  async send(request: UpstreamRequest): Promise<LinkResponse> {
    if (this.#inFlight >= inFlightMax) throw unavailable();
    const endsAt = performance.now() + request.timeoutMs;
    const pool = this.#choosePool();
    this.#inFlight++;
    let release: (() => void) | undefined;
    try {
      release = await this.#shares.enter(request.tenantId, undefined, Math.min(shareWaitMs, request.timeoutMs));
      this.#retryCredit = Math.min(retryCreditMax, this.#retryCredit + retryShare);
      return await this.#attempt(pool, request, endsAt);
    } catch (error) {
      throw toGatewayError(error);
    } finally {
      this.#inFlight--;
      release?.();
    }
  }

  close(): void {
    this.#unwatch();
    for (const { links } of this.#pools) links.close();
  }

  #openPool(address: string): Pool {
    const options = { max: connectionsMax, responseMax, deadlines: this.#deadlines };
    return {
      address,
      breaker: createBreaker({ trip, openMs }),
      links: createLinks({ origin: this.origin, address }, options),
    };
  }

  /** Keeps the connections to addresses that are still resolved. */
  #replacePools(addresses: readonly string[]): void {
    const before = this.#pools;
    this.#pools = addresses.map(
      (address) => before.find((pool) => pool.address === address) ?? this.#openPool(address),
    );
    for (const pool of before) if (!this.#pools.includes(pool)) pool.links.close();
  }

  #choosePool(except?: Pool): Pool {
    for (let tried = 0; tried < this.#pools.length; tried++) {
      const pool = this.#pools[this.#turn++ % this.#pools.length] as Pool;
      if (pool !== except && pool.breaker.admits()) return pool;
    }
    throw unavailable();
  }

  /** Sends a request, and once more after a lost connection if that is safe: to another address if there is one. */
  async #attempt(first: Pool, request: UpstreamRequest, endsAt: number): Promise<LinkResponse> {
    let pool = first;
    try {
      const response = await pool.links.send(request, endsAt).catch((error: unknown) => {
        if (!this.#mayRetry(error, request)) throw error;
        this.#retryCredit--;
        if (this.#pools.length > 1) {
          pool.breaker.failed();
          pool = this.#choosePool(first);
        }
        return pool.links.send(request, endsAt).catch((again: unknown) => {
          // The service may have received the first attempt.
          throw again instanceof LinkBusyError ? toGatewayError(error) : again;
        });
      });
      pool.breaker.succeeded();
      return response;
    } catch (error) {
      if (!isNeutral(error)) pool.breaker.failed();
      throw error;
    }
  }

  #mayRetry(error: unknown, { repeatable }: UpstreamRequest): boolean {
    return (
      this.#retryCredit >= 1 && (error instanceof LinkRefusedError || (error instanceof LinkLostError && repeatable))
    );
  }
}

/** Whether an error says nothing about the health of the service: the response was too large, or nothing was sent. */
function isNeutral(error: unknown): boolean {
  return error instanceof ResponseTooLargeError || error instanceof LinkBusyError || error instanceof GatewayError;
}

function unavailable(): GatewayError {
  return new GatewayError('unavailable', { retryAfter: retryAfterSeconds });
}

function toGatewayError(error: unknown): GatewayError {
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
