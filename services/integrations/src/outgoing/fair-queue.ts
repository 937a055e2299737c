import { createRetryTimes, type RetryTimes } from './retry-times.ts';

/** Identifies the endpoint that a send goes to. */
export interface SendTarget {
  tenant: string;
  endpoint: string;
  /** The endpoint timed out repeatedly: it gets one send at a time, whatever this process knows about it. */
  isSuspect: boolean;
}

/** A place for one send. */
export interface Slot {
  /** Frees the place. `sendMs` is how long the endpoint took; without it the time since the slot was given counts. */
  release(sendMs?: number): void;
}

/**
 * Limits the sends in flight of one process, fairly: a slow endpoint waits for itself only, slow endpoints of a tenant
 * leave slots for the tenant's other endpoints, and slow endpoints of all tenants together leave slots for all others.
 */
export interface FairQueue {
  /**
   * Takes a slot, now or after a short wait. A delivery that gets none is to be tried again at `retryAt`; waiting for
   * longer happens in the database and not in memory.
   */
  acquire(target: SendTarget): Promise<Slot | { retryAt: Date }>;
  /** A time after `notBefore` to try a delivery again. Deliveries of one endpoint get different times. */
  retryAt(target: SendTarget, notBefore: Date): Date;
}

interface Endpoint {
  tenant: string;
  isSuspect: boolean;
  running: Set<Send>;
  waiting: Waiter[];
  /** How long the endpoint took, as a moving average; undefined before its first answer. */
  averageMs: number | undefined;
  /** How long slots were held, which includes recording the attempt. */
  averageHeldMs: number;
  retries: RetryTimes;
}

interface Send {
  endpoint: Endpoint;
  began: number;
}

interface Waiter {
  resolve(slot: Slot): void;
  timer: NodeJS.Timeout;
}

/** `slow` is known to be slow, `fresh` was never seen to answer, `prompt` answers in time. */
type Pace = 'slow' | 'fresh' | 'prompt';

// A send that runs longer is slow. It then counts against the limits of slow sends instead of those of prompt ones.
const slowMs = 1_000;
const averageWeight = 0.2;
const endpointMax: Record<Pace, number> = { slow: 1, fresh: 2, prompt: 4 };
const tenantMax = { total: 16, slow: 3, notSlow: 5 };
/** Sends in flight of one process. Slow and fresh endpoints together leave a quarter to those that are known to be prompt. */
export const sendsMax = 192;
const slowMax = sendsMax / 2;
const notPromptMax = (sendsMax * 3) / 4;

// For an endpoint that answers quickly a short wait in memory is cheaper than another round through the database.
const quickMs = 200;
const waitMaxMs = 250;
const waitingPerEndpointMax = 10;
/** Deliveries of one process that wait in memory. */
export const waitingMax = 50;
const stepMinMs = 10;
const endpointsMax = 10_000;

/** Creates the fair queue of one process. */
export function createFairQueue({ now = Date.now }: { now?: () => number } = {}): FairQueue {
  const endpoints = new Map<string, Endpoint>();
  const sends = new Set<Send>();
  // In the order in which endpoints get the next free slot.
  const withWaiters = new Set<Endpoint>();
  const createRetries = createRetryTimes(now);
  let waiters = 0;

  const endpointOf = ({ tenant, endpoint: name, isSuspect }: SendTarget): Endpoint => {
    const key = `${tenant}/${name}`;
    const known = endpoints.get(key);
    // Inserted again, so that the endpoint that was idle for longest is the first.
    endpoints.delete(key);
    const endpoint = known ?? {
      tenant,
      isSuspect,
      running: new Set(),
      waiting: [],
      averageMs: undefined,
      averageHeldMs: 0,
      retries: createRetries(),
    };
    endpoint.isSuspect = isSuspect;
    endpoints.set(key, endpoint);
    if (endpoints.size > endpointsMax) forgetIdle();
    return endpoint;
  };

  const forgetIdle = () => {
    for (const [key, { running, waiting }] of endpoints) {
      if (running.size || waiting.length) continue;
      endpoints.delete(key);
      return;
    }
  };

  const hasFreeSlot = (endpoint: Endpoint): boolean => {
    const at = now();
    const pace = paceOf(endpoint, at);
    if (endpoint.running.size >= endpointMax[pace] || sends.size >= sendsMax) return false;
    const used = countSends(sends, endpoint.tenant, at);
    if (used.tenant.total >= tenantMax.total) return false;
    if (pace === 'slow') return used.tenant.slow < tenantMax.slow && used.slow < slowMax;
    if (used.tenant.total - used.tenant.slow >= tenantMax.notSlow) return false;
    return pace === 'prompt' || used.slow + used.fresh < notPromptMax;
  };

  const start = (endpoint: Endpoint): Slot => {
    const send = { endpoint, began: now() };
    sends.add(send);
    endpoint.running.add(send);
    return {
      release(sendMs) {
        if (!sends.delete(send)) return;
        const wasSlow = paceOf(endpoint, now()) === 'slow';
        endpoint.running.delete(send);
        const heldMs = now() - send.began;
        endpoint.averageMs = moved(endpoint.averageMs, sendMs ?? heldMs);
        endpoint.averageHeldMs = moved(endpoint.averageHeldMs, heldMs);
        if (wasSlow && paceOf(endpoint, now()) !== 'slow') endpoint.retries.restart();
        startWaiting();
      },
    };
  };

  /** Gives free slots to waiting deliveries, one for each endpoint in turn. */
  const startWaiting = () => {
    for (const endpoint of [...withWaiters]) {
      if (!hasFreeSlot(endpoint)) continue;
      const [waiter] = endpoint.waiting as [Waiter];
      removeWaiter(endpoint, waiter);
      if (withWaiters.delete(endpoint) && endpoint.waiting.length) withWaiters.add(endpoint);
      waiter.resolve(start(endpoint));
    }
  };

  const mayWait = (endpoint: Endpoint) =>
    waiters < waitingMax &&
    endpoint.waiting.length < waitingPerEndpointMax &&
    !endpoint.isSuspect &&
    expectedMs(endpoint, now()) < quickMs;

  const wait = (endpoint: Endpoint) =>
    new Promise<Slot | undefined>((resolve) => {
      const waiter = {
        resolve,
        timer: setTimeout(() => {
          removeWaiter(endpoint, waiter);
          resolve(undefined);
        }, waitMaxMs),
      };
      waiters += 1;
      endpoint.waiting.push(waiter);
      withWaiters.add(endpoint);
    });

  const removeWaiter = (endpoint: Endpoint, waiter: Waiter) => {
    clearTimeout(waiter.timer);
    waiters -= 1;
    endpoint.waiting.splice(endpoint.waiting.indexOf(waiter), 1);
    if (!endpoint.waiting.length) withWaiters.delete(endpoint);
  };

  /** How long until this endpoint has taken one more delivery. */
  const stepMs = (endpoint: Endpoint) => {
    const at = now();
    const pace = paceOf(endpoint, at);
    // After a restart nothing is known about an endpoint that is suspect.
    const leastMs = pace === 'slow' ? slowMs : stepMinMs;
    return Math.max(Math.max(endpoint.averageHeldMs, expectedMs(endpoint, at)) / endpointMax[pace], leastMs);
  };

  return {
    async acquire(target) {
      const endpoint = endpointOf(target);
      // A send that has become slow leaves its place to others although it goes on.
      if (endpoint.waiting.length) startWaiting();
      if (!endpoint.waiting.length && hasFreeSlot(endpoint)) return start(endpoint);
      const slot = mayWait(endpoint) ? await wait(endpoint) : undefined;
      if (slot) return slot;
      const ms = stepMs(endpoint);
      return { retryAt: endpoint.retries.next(now() + ms, ms) };
    },
    retryAt(target, notBefore) {
      const endpoint = endpointOf(target);
      return endpoint.retries.next(notBefore.getTime(), stepMs(endpoint));
    },
  };
}

function paceOf(endpoint: Endpoint, now: number): Pace {
  if (endpoint.isSuspect || expectedMs(endpoint, now) >= slowMs) return 'slow';
  return endpoint.averageMs === undefined ? 'fresh' : 'prompt';
}

/** How long a send to this endpoint takes, judged also by the oldest one in flight. */
function expectedMs({ averageMs = 0, running }: Endpoint, now: number): number {
  const [oldest] = running;
  return oldest ? Math.max(averageMs, now - oldest.began) : averageMs;
}

function moved(average: number | undefined, ms: number): number {
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
