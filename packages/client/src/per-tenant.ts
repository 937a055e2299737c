import type { Caller } from '@tandem/caller';
import type { Log } from '@tandem/process';

/** The tenant whose value is read, and the request that reads it. */
export type TenantRequest = Pick<Caller, 'tenantId' | 'environment' | 'requestId'>;

interface Options<T> {
  /** The name of the cached value, for the log. */
  name: string;
  read(request: TenantRequest): Promise<T>;
  /** How long a value is used before it is read again. */
  ttlMs: number;
  /** The value of a tenant for which the other service has not answered yet. */
  fallback: T;
  log: Log;
  now?: () => number;
}

interface Entry<T> {
  last: T;
  /** When the value is read again. */
  readAt: number;
  reading?: Promise<T> | undefined;
}

const tenantsMax = 10_000;
// Longest wait for a new value. After it the last known value is used.
const waitMs = 500;
// Interval between attempts while the other service fails, so that not every request waits for it.
const retryMs = 5_000;

/**
 * Caches a value that another service has for each tenant. Concurrent requests of a tenant share one call. If the service
 * is down or slow, the last value is used, however old, or else `fallback`.
 */
export function cachedPerTenant<T>(options: Options<T>): (request: TenantRequest) => Promise<T> {
  const { name, read, ttlMs, fallback, log, now = Date.now } = options;
  const entries = new Map<number | undefined, Entry<T>>();

  const refresh = (entry: Entry<T>, { tenantId, environment, requestId }: TenantRequest): Promise<T> => {
    entry.reading ??= read({ environment, requestId, ...(tenantId !== undefined && { tenantId }) })
      .then((value) => {
        entry.last = value;
        entry.readAt = now() + ttlMs;
        return value;
      })
      .finally(() => {
        entry.reading = undefined;
      });
    return entry.reading;
  };

  return async (request) => {
    const { tenantId } = request;
    let entry = entries.get(tenantId);
    if (!entry) {
      if (entries.size >= tenantsMax) entries.clear();
      entry = { last: fallback, readAt: 0 };
      entries.set(tenantId, entry);
    }
    if (entry.readAt > now()) return entry.last;
    try {
      return await within(waitMs, refresh(entry, request));
    } catch (error) {
      entry.readAt = now() + retryMs;
      log.warn(`${name} could not be read; the last value is used`, { tenantId, error });
      return entry.last;
    }
  };
}

/** Rejects if a promise takes longer than this. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
