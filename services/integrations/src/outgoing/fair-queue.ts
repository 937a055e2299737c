import { createRetryTimes, type RetryTimes } from './retry-times.ts';

/** Identifies the endpoint that a send goes to. */
export interface SendTarget {
  tenant: string;
  endpoint: string;
  /** The endpoint timed out repeatedly: it gets one send at a time, even if it was fast in this process. */
  isSuspect: boolean;
}

/** Permission for one send. */
export interface Slot {
  /** Frees the slot. `sendMs` is the response time of the endpoint, by default the time since the slot was acquired. */
  release(sendMs?: number): void;
}

/**
 * Limits sends in flight of one process fairly: a slow endpoint delays only itself, slow endpoints of a tenant leave
 * slots for the tenant's other endpoints, and slow endpoints of all tenants leave slots for all other endpoints.
 */
export interface FairQueue {
  /**
   * Acquires a slot, now or after a short wait. Without a free slot the delivery must be retried at `retryAt`: longer
   * waits happen in the database, not in memory.
   */
  acquire(target: SendTarget): Promise<Slot | { retryAt: Date }>;
  /** A time after `notBefore` to retry a delivery. Deliveries of one endpoint get different times. */
  retryAt(target: SendTarget, notBefore: Date): Date;
}

interface Endpoint {
  tenant: string;
  isSuspect: boolean;
  running: Set<Send>;
  waiting: Waiter[];
  /** Moving average of response times; undefined before the first response. */
  averageMs: number | undefined;
  /** Moving average of slot durations, which include recording the attempt. */
  averageHeldMs: number;
  retries: RetryTimes;
}

interface Send {
  endpoint: Endpoint;
  startedAt: number;
}

interface Waiter {
  resolve(slot: Slot): void;
  timer: NodeJS.Timeout;
}

/** `fresh` endpoints have not responded yet, `prompt` ones respond in time. */
type Pace = 'slow' | 'fresh' | 'prompt';

// A send that runs longer is slow and counts against the limits of slow sends.
const slowMs = 1_000;
const averageWeight = 0.2;
const endpointMax: Record<Pace, number> = { slow: 1, fresh: 2, prompt: 4 };
const tenantMax = { total: 16, slow: 3, notSlow: 5 };
/** Sends in flight of one process. Slow and fresh endpoints together leave a quarter to prompt ones. */
export const sendsMax = 192;
const slowMax = sendsMax / 2;
const notPromptMax = (sendsMax * 3) / 4;

// For a fast endpoint, a short wait in memory is cheaper than rescheduling in the database.
const quickMs = 200;
const waitMaxMs = 250;
const waitingPerEndpointMax = 10;
/** Deliveries of one process that wait in memory. */
export const waitingMax = 50;
const intervalMinMs = 10;
const endpointsMax = 10_000;

/** Creates the fair queue of one process. */
export function createFairQueue({ now = Date.now }: { now?: () => number } = {}): FairQueue {
  return new ProcessQueue(now);
}

class ProcessQueue implements FairQueue {
  readonly #now: () => number;
  readonly #createRetries: () => RetryTimes;
  /** Ordered by last use. */
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #sends = new Set<Send>();
  /** Ordered: the first endpoint gets the next free slot. */
  readonly #withWaiters = new Set<Endpoint>();
  #waiters = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#createRetries = createRetryTimes(now);
  }

  async acquire(target: SendTarget): Promise<Slot | { retryAt: Date }> {
    const endpoint = this.#endpointOf(target);
    // A running send that became slow no longer blocks slots of prompt sends.
    if (endpoint.waiting.length) this.#startWaiting();
    if (!endpoint.waiting.length && this.#hasFreeSlot(endpoint)) return this.#start(endpoint);
    const slot = this.#mayWait(endpoint) ? await this.#wait(endpoint) : undefined;
    if (slot) return slot;
    const ms = this.#intervalMs(endpoint);
    return { retryAt: endpoint.retries.next(this.#now() + ms, ms) };
  }

  retryAt(target: SendTarget, notBefore: Date): Date {
    const endpoint = this.#endpointOf(target);
    return endpoint.retries.next(notBefore.getTime(), this.#intervalMs(endpoint));
  }

  #endpointOf({ tenant, endpoint: name, isSuspect }: SendTarget): Endpoint {
    const key = `${tenant}/${name}`;
    const known = this.#endpoints.get(key);
    // Reinserted, so that the map is ordered by last use.
    this.#endpoints.delete(key);
    const endpoint = known ?? {
      tenant,
      isSuspect,
      running: new Set(),
      waiting: [],
      averageMs: undefined,
      averageHeldMs: 0,
      retries: this.#createRetries(),
    };
    endpoint.isSuspect = isSuspect;
    this.#endpoints.set(key, endpoint);
    if (this.#endpoints.size > endpointsMax) this.#evictIdle();
    return endpoint;
  }

  #evictIdle(): void {
    for (const [key, { running, waiting }] of this.#endpoints) {
      if (running.size || waiting.length) continue;
      this.#endpoints.delete(key);
      return;
    }
  }

  #hasFreeSlot(endpoint: Endpoint): boolean {
    const at = this.#now();
    const pace = paceOf(endpoint, at);
    if (endpoint.running.size >= endpointMax[pace] || this.#sends.size >= sendsMax) return false;
    const used = countSends(this.#sends, endpoint.tenant, at);
    if (used.tenant.total >= tenantMax.total) return false;
    if (pace === 'slow') return used.tenant.slow < tenantMax.slow && used.slow < slowMax;
    if (used.tenant.total - used.tenant.slow >= tenantMax.notSlow) return false;
    return pace === 'prompt' || used.slow + used.fresh < notPromptMax;
  }

  #start(endpoint: Endpoint): Slot {
    const send = { endpoint, startedAt: this.#now() };
    this.#sends.add(send);
    endpoint.running.add(send);
    return { release: (sendMs) => this.#end(send, sendMs) };
  }

  #end(send: Send, sendMs: number | undefined): void {
    if (!this.#sends.delete(send)) return;
    const { endpoint, startedAt } = send;
    const wasSlow = paceOf(endpoint, this.#now()) === 'slow';
    endpoint.running.delete(send);
    const heldMs = this.#now() - startedAt;
    endpoint.averageMs = movingAverage(endpoint.averageMs, sendMs ?? heldMs);
    endpoint.averageHeldMs = movingAverage(endpoint.averageHeldMs, heldMs);
    if (wasSlow && paceOf(endpoint, this.#now()) !== 'slow') endpoint.retries.restart();
    this.#startWaiting();
  }

  /** Assigns free slots to waiting deliveries, one per endpoint in turn. */
  #startWaiting(): void {
    for (const endpoint of [...this.#withWaiters]) {
      if (!this.#hasFreeSlot(endpoint)) continue;
      const [waiter] = endpoint.waiting as [Waiter];
      this.#removeWaiter(endpoint, waiter);
      if (this.#withWaiters.delete(endpoint) && endpoint.waiting.length) this.#withWaiters.add(endpoint);
      waiter.resolve(this.#start(endpoint));
    }
  }

  #mayWait(endpoint: Endpoint): boolean {
    return (
      this.#waiters < waitingMax &&
      endpoint.waiting.length < waitingPerEndpointMax &&
      !endpoint.isSuspect &&
      expectedMs(endpoint, this.#now()) < quickMs
    );
  }

  /** Waits for a slot; undefined if none became free in time. */
  #wait(endpoint: Endpoint): Promise<Slot | undefined> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#removeWaiter(endpoint, waiter);
        resolve(undefined);
      };
      const waiter: Waiter = { resolve, timer: setTimeout(giveUp, waitMaxMs) };
      this.#waiters += 1;
      endpoint.waiting.push(waiter);
      this.#withWaiters.add(endpoint);
    });
  }

  #removeWaiter(endpoint: Endpoint, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.#waiters -= 1;
    endpoint.waiting.splice(endpoint.waiting.indexOf(waiter), 1);
    if (!endpoint.waiting.length) this.#withWaiters.delete(endpoint);
  }

  /** Estimated time until this endpoint can accept another delivery. */
  #intervalMs(endpoint: Endpoint): number {
    const at = this.#now();
    const pace = paceOf(endpoint, at);
    // After a restart there is no measurement of a suspect endpoint.
    const minimumMs = pace === 'slow' ? slowMs : intervalMinMs;
    return Math.max(Math.max(endpoint.averageHeldMs, expectedMs(endpoint, at)) / endpointMax[pace], minimumMs);
  }
}

function paceOf(endpoint: Endpoint, now: number): Pace {
  if (endpoint.isSuspect || expectedMs(endpoint, now) >= slowMs) return 'slow';
  return endpoint.averageMs === undefined ? 'fresh' : 'prompt';
}

/** Expected duration of a send, from the average and the oldest send in flight. */
function expectedMs({ averageMs = 0, running }: Endpoint, now: number): number {
  const [oldest] = running;
  return oldest ? Math.max(averageMs, now - oldest.startedAt) : averageMs;
}

function movingAverage(average: number | undefined, ms: number): number {
  return average === undefined ? ms : average + averageWeight * (ms - average);
}

function countSends(sends: Iterable<Send>, tenant: string, now: number) {
  const used = { slow: 0, fresh: 0, tenant: { total: 0, slow: 0 } };
  for (const { endpoint } of sends) {
    const pace = paceOf(endpoint, now);
    if (pace !== 'prompt') used[pace] += 1;
    if (endpoint.tenant !== tenant) continue;
    used.tenant.total += 1;
    if (pace === 'slow') used.tenant.slow += 1;
  }
  return used;
}
