import type { Seal } from '@tandem/sealed';
import type { Sql } from '@tandem/tenant-db';
import { fail, failField } from './failure.ts';
import type { Answer } from './reply.ts';

const keyMax = 255;
const keptHours = 24;

interface Kept {
  request_hash: string;
  status: number;
  etag: string | null;
  reply: string;
}

/** One use of an Idempotency-Key, inside the transaction of the request. */
export interface IdempotentRun {
  /** The first answer, when there is one. */
  earlier: Answer | undefined;
  /** Keeps an answer; it becomes the first one when the transaction commits. */
  keep(answer: Answer): Promise<void>;
}

/**
 * Begins a request that carries an Idempotency-Key: takes a lock that lasts as long as the transaction, then looks for
 * an earlier answer. Because answer and effect commit together, a crash leaves both or neither.
 * @throws 409 when the key was used for another request, or its request is still running
 */
export async function idempotent(options: {
  sql: Sql;
  seal: Seal;
  operation: string;
  key: string;
  request: unknown;
}): Promise<IdempotentRun> {
  const { sql, seal, operation, key, request } = options;
  if (!key || key.length > keyMax) throw failField('Idempotency-Key', `Must have 1 to ${keyMax} characters`);
  // Under a key: a body may hold a password, and a plain hash of it could be tried against guesses.
  const hash = seal.digest(JSON.stringify(request));
  const context = `idempotency ${operation} ${key}`;

  const [lock] = await sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(
    hashtextextended(${`${operation} ${key}`}, platform.tenant_id() * 2 + (platform.environment() = 'live')::int)) AS free`;
  if (!lock?.free) throw fail('idempotency_running');
  const [kept] = await sql<Kept>`SELECT request_hash, status, etag, reply FROM platform.idempotency_key
    WHERE operation = ${operation} AND key = ${key} AND created_at > now() - make_interval(hours => ${keptHours}::int)`;
  if (kept && kept.request_hash !== hash) throw fail('idempotency_mismatch');

  return {
    earlier: kept && {
      status: kept.status,
      body: seal.open(kept.reply, context),
      ...(kept.etag && { etag: kept.etag }),
      replayed: true,
    },
    async keep(answer) {
      await sql`DELETE FROM platform.idempotency_key WHERE operation = ${operation} AND key = ${key}`;
      await sql`INSERT INTO platform.idempotency_key (operation, key, request_hash, status, etag, reply)
        VALUES (${operation}, ${key}, ${hash}, ${answer.status}, ${answer.etag ?? null}, ${seal.seal(answer.body, context)})`;
    },
  };
}
