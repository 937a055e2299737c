import type { Seal } from '@tandem/sealed';
import type { Sql } from '@tandem/tenant-db';
import { fail, failField } from './api-error.ts';
import type { ServiceResponse } from './response.ts';

const keyMax = 255;
const keptHours = 24;

interface Kept {
  key: string;
  request_hash: string;
  status: number;
  etag: string | null;
  acted_in: number | null;
  headers: Record<string, string> | null;
  reply: string;
}

/** One use of an Idempotency-Key, inside the transaction of the request. */
export interface IdempotentRun {
  /** The first response, if any. */
  earlier: ServiceResponse | undefined;
  /** Stores a response; it becomes the first one when the transaction commits. */
  keep(response: ServiceResponse): Promise<void>;
}

/**
 * Begins a request with an Idempotency-Key: takes a lock until the end of the transaction, then looks up an earlier
 * response. Response and effect commit together, so a crash leaves both or neither.
 * @param options.isPublic whether the caller is anonymous. Only the request identifies such a caller, so the key is
 * combined with the whole request: another body neither finds the response nor reveals that one exists
 * @param options.owner a caller within the tenant whose keys others do not share, such as the user of a partner
 * @throws ApiError 409 when the key was used for another request, or its request is still running
 */
export async function idempotent(options: {
  sql: Sql;
  seal: Seal;
  operation: string;
  key: string;
  isPublic: boolean;
  owner?: string | undefined;
  request: unknown;
}): Promise<IdempotentRun> {
  const { sql, seal, operation, key: clientKey, isPublic, owner, request } = options;
  if (!clientKey || clientKey.length > keyMax) throw failField('Idempotency-Key', `Must be 1 to ${keyMax} characters`);
  // Keyed digests, because a body may contain a password, and a plain hash could be brute-forced.
  const hashes = seal.digests(JSON.stringify(request));
  const ownKey = owner === undefined ? clientKey : `${owner} ${clientKey}`;
  const keys = isPublic ? seal.digests(JSON.stringify([clientKey, request])) : ([ownKey] as const);
  const [key] = keys;
  const contextOf = (storedKey: string) => `idempotency ${operation} ${storedKey}`;

  // During a key rotation, instances list the same keys in different orders. Locking in a fixed order prevents
  // deadlocks.
  for (const one of [...keys].sort()) {
    const [lock] = await sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(
      hashtextextended(${`${operation} ${one}`}, coalesce(platform.tenant_id() * 2 + (platform.environment() = 'live')::int, 0))) AS free`;
    if (!lock?.free) throw fail('idempotency_running');
  }
  const [kept] =
    await sql<Kept>`SELECT key, request_hash, status, etag, acted_in, headers, reply FROM platform.idempotency_key
    WHERE operation = ${operation} AND key = ANY(${keys}::text[]) AND created_at > now() - make_interval(hours => ${keptHours}::int)`;
  if (kept && !hashes.includes(kept.request_hash)) throw fail('idempotency_mismatch');

  return {
    earlier: kept && {
      status: kept.status,
      body: seal.open(kept.reply, contextOf(kept.key)),
      ...(kept.etag && { etag: kept.etag }),
      ...(kept.acted_in !== null && { tenantId: kept.acted_in }),
      ...(kept.headers && { headers: kept.headers }),
      replayed: true,
    },
    async keep(response) {
      await sql`DELETE FROM platform.idempotency_key WHERE operation = ${operation} AND key = ${key}`;
      await sql`INSERT INTO platform.idempotency_key (operation, key, request_hash, status, etag, acted_in, headers, reply)
        VALUES (${operation}, ${key}, ${hashes[0]}, ${response.status}, ${response.etag ?? null}, ${response.tenantId ?? null},
          ${response.headers ? JSON.stringify(response.headers) : null}::jsonb, ${seal.seal(response.body, contextOf(key))})`;
    },
  };
}
