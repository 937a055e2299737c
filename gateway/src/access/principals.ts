import { orAbsent, ServiceCallError, type ServiceClient } from '@tandem/client/internal';
import { CredentialChange, credentialChannel, type internalAccess, type Principal } from '@tandem/identity-contract';
import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import type { z } from 'zod';
import { GatewayError } from '../http/gateway-error.ts';

export type Who = z.output<typeof Principal>;

export interface Principals {
  /**
   * The owner of an API key; undefined for an unknown key.
   * @param hash the hash under the current pepper
   * @param previous computes the hashes under the other peppers; called only when identity is asked
   */
  byKey(hash: string, previous: () => string[]): Promise<Who | undefined>;
  /** The owner of a session. */
  bySession(tenantId: number, sessionId: number): Promise<Who | undefined>;
  /** Whether a fresh result for the key is cached, so that `byKey` needs no request. */
  knows(hash: string): boolean;
  /** Caches a user for as long as credentials are cached. */
  rememberUser<T>(tenantId: number, userId: number, fetch: () => Promise<T>): Promise<T>;
  /** Calls the listener after cached credentials are invalidated; returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Entry {
  value: unknown;
  tenantId: number | undefined;
  userId: number | null | undefined;
  keyId: number | null | undefined;
  sessionId: number | null | undefined;
  freshUntil: number;
  staleUntil: number;
  pending?: Promise<unknown> | undefined;
}

// D5: known credentials are cached for 5 s (60 s while identity is unavailable), unknown ones for 2 s.
const freshMs = 5_000;
const unknownMs = 2_000;
const staleMs = 60_000;
const entriesMax = 50_000;

/**
 * Caches the owners of keys and sessions, so that identity is asked at most once in 5 s for each. A change that
 * identity publishes on Redis invalidates its entries at once; a gap in the subscription invalidates everything. If
 * identity does not answer, the last known owner is used, or identity is asked once more.
 */
export function createPrincipals(options: {
  identity: ServiceClient<typeof internalAccess>;
  /** The id of the current pepper. */
  pepper: string | null;
  redisUrl: string;
  log: Log;
}): Principals {
  const { identity, log, pepper } = options;
  const entries = new Map<string, Entry>();
  const as = { environment: 'live' as const, requestId: 'gateway' };

  // The owner of a pending entry is not known yet, and the reply of identity may predate the change.
  const isUnowned = (entry: Entry) => entry.pending !== undefined && entry.tenantId === undefined;
  const forget = (matches: (entry: Entry) => boolean) => {
    for (const [key, entry] of entries) if (matches(entry) || isUnowned(entry)) entries.delete(key);
  };

  const lookUp = async <T>(
    key: string,
    fetch: () => Promise<T | undefined>,
    describe: (value: T) => Partial<Entry>,
  ): Promise<T | undefined> => {
    const now = Date.now();
    const entry = entries.get(key);
    if (entry && entry.freshUntil > now) return entry.value as T | undefined;
    if (entry?.pending) return entry.pending as Promise<T | undefined>;
    const cached: Entry = entry ?? {
      value: undefined,
      tenantId: undefined,
      userId: undefined,
      keyId: undefined,
      sessionId: undefined,
      freshUntil: 0,
      staleUntil: 0,
    };
    if (!entry) {
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value as string);
      entries.set(key, cached);
    }
    const isUsable = () => cached.value !== undefined && cached.staleUntil > Date.now();
    const mayAskAgain = (error: unknown) => error instanceof ServiceCallError && error.status === 503 && !isUsable();
    cached.pending = fetch()
      // A gateway that has just started knows no credential, and many requests wait for this one.
      .catch((error: unknown) => (mayAskAgain(error) ? fetch() : Promise.reject(error)))
      .then((value) => {
        const fetchedAt = Date.now();
        Object.assign(cached, {
          value,
          freshUntil: fetchedAt + (value === undefined ? unknownMs : freshMs),
          staleUntil: fetchedAt + staleMs,
        });
        if (value !== undefined) Object.assign(cached, describe(value));
        return value;
      })
      .catch((error: unknown) => {
        if (isUsable()) return cached.value as T;
        log.warn('identity is unavailable', { error });
        throw new GatewayError('unavailable', { retryAfter: 1 });
      })
      .finally(() => {
        cached.pending = undefined;
      });
    return cached.pending as Promise<T | undefined>;
  };

  const describeWho = ({ tenantId, userId, keyId, sessionId }: Who) => ({ tenantId, userId, keyId, sessionId });
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };
  const subscription = listen(
    options.redisUrl,
    (change) => {
      if ('keyId' in change) forget((entry) => entry.keyId === change.keyId);
      else if ('sessionId' in change) forget((entry) => entry.sessionId === change.sessionId);
      else {
        const isAffected = ({ userId }: Entry) => !('userIds' in change) || change.userIds.includes(userId ?? 0);
        forget((entry) => entry.tenantId === change.tenantId && isAffected(entry));
      }
      announce();
    },
    () => {
      entries.clear();
      announce();
    },
  );

  return {
    byKey: (hash, previous) =>
      lookUp(
        `key ${hash}`,
        () => orAbsent(identity.resolveKey({ body: { hash, pepper, previous: previous() }, as })),
        describeWho,
      ),
    bySession: (tenantId, sessionId) =>
      lookUp(
        `session ${tenantId} ${sessionId}`,
        () => orAbsent(identity.resolveSession({ body: { tenantId, sessionId }, as })),
        describeWho,
      ),
    knows: (hash) => (entries.get(`key ${hash}`)?.freshUntil ?? 0) > Date.now(),
    rememberUser: (tenantId, userId, fetch) =>
      lookUp(`user ${userId} of ${tenantId}`, fetch, () => ({ tenantId, userId })) as ReturnType<typeof fetch>,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => subscription.disconnect(),
  };
}

type Change = z.output<typeof CredentialChange>;

function listen(url: string, onChange: (change: Change) => void, onGap: () => void): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (times) => Math.min(100 * times, 1_000) });
  redis.on('error', () => {});
  // Changes published while the connection was down were missed.
  redis.on('ready', onGap);
  redis.on('message', (_channel, text) => {
    const change = CredentialChange.safeParse(parse(text));
    if (change.success) onChange(change.data);
    else onGap();
  });
  void redis.subscribe(credentialChannel).catch(() => {});
  return redis;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
