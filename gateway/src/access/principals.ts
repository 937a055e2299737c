import { orAbsent, type ServiceClient } from '@tandem/client/internal';
import { CredentialChange, credentialChannel, type internalAccess, type Principal } from '@tandem/identity-contract';
import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import type { z } from 'zod';
import { ApiError } from '../http/api-error.ts';

export type Who = z.output<typeof Principal>;

export interface Principals {
  /**
   * The owner of an API key; undefined for an unknown key.
   * @param hash the hash under the current pepper
   * @param previous computes the hashes under the other peppers, when identity has to be asked
   */
  byKey(hash: string, previous: () => string[]): Promise<Who | undefined>;
  /** The owner of a session. */
  bySession(tenantId: number, sessionId: number): Promise<Who | undefined>;
  /** Whether the answer for a key is known already, so that asking costs nothing. */
  knows(hash: string): boolean;
  /** Remembers what is known of a user for as long as credentials are remembered. */
  rememberUser<T>(tenantId: number, userId: number, fetch: () => Promise<T>): Promise<T>;
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

// D5: valid ones live 5 s, unknown ones 2 s, and 60 s while identity cannot be asked.
const freshMs = 5_000;
const unknownMs = 2_000;
const staleMs = 60_000;
const entriesMax = 50_000;

/**
 * Remembers who is behind keys and sessions, so that identity is asked once in 5 s for each. What identity announces on
 * Redis as changed is forgotten at once; after a gap in listening everything is.
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

  // Whose it is that is being asked for is not known yet: what identity answers may be older than the change.
  const isUnknown = (entry: Entry) => entry.pending !== undefined && entry.tenantId === undefined;
  const forget = (matches: (entry: Entry) => boolean) => {
    for (const [key, entry] of entries) if (matches(entry) || isUnknown(entry)) entries.delete(key);
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
    const held: Entry = entry ?? {
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
      entries.set(key, held);
    }
    held.pending = fetch()
      .then((value) => {
        const answered = Date.now();
        Object.assign(held, {
          value,
          freshUntil: answered + (value === undefined ? unknownMs : freshMs),
          staleUntil: answered + staleMs,
        });
        if (value !== undefined) Object.assign(held, describe(value));
        return value;
      })
      .catch((error: unknown) => {
        if (held.value !== undefined && held.staleUntil > Date.now()) return held.value as T;
        log.warn('identity could not be asked', { error });
        throw new ApiError('unavailable', { retryAfter: 1 });
      })
      .finally(() => {
        held.pending = undefined;
      });
    return held.pending as Promise<T | undefined>;
  };

  const describeWho = ({ tenantId, userId, keyId, sessionId }: Who) => ({ tenantId, userId, keyId, sessionId });
  const subscription = listen(
    options.redisUrl,
    (change) => {
      if ('keyId' in change) forget((entry) => entry.keyId === change.keyId);
      else if ('sessionId' in change) forget((entry) => entry.sessionId === change.sessionId);
      else {
        const isMeant = ({ userId }: Entry) => !('userIds' in change) || change.userIds.includes(userId ?? 0);
        forget((entry) => entry.tenantId === change.tenantId && isMeant(entry));
      }
    },
    () => entries.clear(),
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
    close: () => subscription.disconnect(),
  };
}

type Change = z.output<typeof CredentialChange>;

function listen(url: string, onChange: (change: Change) => void, onGap: () => void): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (times) => Math.min(100 * times, 1_000) });
  redis.on('error', () => {});
  // Whatever was announced while nobody listened was missed.
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
