import { type Caller, type CallerSigner, callerHeader } from '@tandem/caller';
import { mediaOf, type Operation, type Operations, type Served } from '@tandem/contract';
import { currentTrace, outgoingGuard, type SpanStart, traceparentOf, withSpan } from '@tandem/process';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { address } from './request.ts';

type Out<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;
type Parts<Op> = {
  [K in 'params' | 'query' | 'body' as Op extends Record<K, z.ZodType> ? K : never]: Op extends Record<K, infer Schema>
    ? Out<Schema>
    : never;
};

/**
 * The context of a call. Permissions are those of the user on whose behalf the service calls. Only operations that
 * apply them themselves read them.
 */
type ServiceContext = Omit<Caller, 'type' | 'permissions'> & Partial<Pick<Caller, 'permissions'>>;

/** The operations of one service as functions, with ids as numbers and times as Dates, as inside a handler. */
export type ServiceClient<Ops extends Operations> = {
  [K in keyof Ops]: (
    input: Parts<Ops[K]> & {
      as: ServiceContext;
      /** Makes a repeated POST return the first response instead of acting again, for 24 hours. */
      idempotencyKey?: string;
      /** Changes a record only if this is its current version; otherwise the call fails with 412. */
      ifVersion?: number;
      /** Ends the call earlier than the row does, for a caller who can do without its reply. */
      timeoutMs?: number;
    },
  ) => Promise<Out<Ops[K]['reply']>>;
};

/** The input of any operation: its types follow from the row, which is known at run time only. */
type CallInput = Partial<Record<'params' | 'query' | 'body', Record<string, unknown>>> & {
  as: ServiceContext;
  idempotencyKey?: string;
  ifVersion?: number;
  timeoutMs?: number;
};

/** Another service rejected the call or failed; see `status`. */
export class ServiceCallError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  constructor(
    operation: string,
    status: number,
    code: string | undefined,
    { cause, message = `returned ${status}` }: { cause?: unknown; message?: string } = {},
  ) {
    super(`${operation} ${message}`, { cause });
    this.status = status;
    this.code = code;
  }
}

/** Resolves to undefined when another service returns 404. */
export async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof ServiceCallError && error.status === 404) return undefined;
    throw error;
  });
}

const timeoutMs = 3_000;
// Below the 70 s after which a service closes an idle connection (packages/service), so that only this side closes one.
const idleMs = 30_000;
// Older connections are replaced, so that new instances of the called service get traffic behind a load balancer.
const ageMs = 60_000;

function callSpan({ id, method, path }: Operation): SpanStart {
  const attributes = { 'http.request.method': method, 'url.template': path, 'tandem.operation': id };
  return { name: `${method} ${path}`, kind: 'client', attributes };
}

/**
 * Creates a client for calls to another service, signed as the calling service within the given tenant. The timeout is
 * 3 s, or that of the row, or of the call if that is shorter; for a reply that is not JSON, whose body is a stream, it is the time between two chunks.
 * Inside a database transaction calls throw.
 * @throws ServiceCallError for every error response, with status 503 when there is no complete response, and with status
 * 502 when the response does not match the contract, as it may between two releases
 */
export function createServiceClient<Ops extends Operations>(options: {
  operations: Ops;
  baseUrl: string;
  service: string;
  signer: CallerSigner;
}): ServiceClient<Ops> {
  const { operations, baseUrl, service, signer } = options;
  const agent = new Agent({
    connect: { timeout: 1_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: idleMs,
    // Otherwise the Keep-Alive header of the service would raise the limit to 70 s.
    keepAliveMaxTimeout: idleMs,
    clientTtl: ageMs,
  });

  const call = async (row: Operation, input: CallInput) => {
    outgoingGuard.assertMayCall(row.id);
    const { permissions = [] } = input.as;
    const caller: Caller = { ...input.as, type: 'system', name: service, permissions };
    const { path, search } = address(row, {
      ...(row.params && { params: z.encode(row.params, input.params ?? {}) }),
      ...(row.query && { query: z.encode(row.query, input.query ?? {}) }),
    });
    const unavailable = (error: unknown) => {
      throw new ServiceCallError(row.id, 503, 'unavailable', { cause: error });
    };
    const trace = currentTrace();
    const { statusCode, headers, body } = await request(`${baseUrl}${path}${search}`, {
      method: row.method,
      dispatcher: agent,
      headersTimeout: row.timeoutMs ?? timeoutMs,
      bodyTimeout: row.timeoutMs ?? timeoutMs,
      headers: {
        [callerHeader]: signer.sign(caller, row.method, path),
        ...(trace && { traceparent: traceparentOf(trace) }),
        ...(row.body && { 'content-type': 'application/json' }),
        ...(input.idempotencyKey !== undefined && { 'idempotency-key': input.idempotencyKey }),
        ...(input.ifVersion !== undefined && { 'if-match': `"${input.ifVersion}"` }),
      },
      ...(row.body && { body: JSON.stringify(z.encode(row.body, input.body ?? {})) }),
      ...(input.timeoutMs !== undefined && { signal: AbortSignal.timeout(input.timeoutMs) }),
    }).catch(unavailable);
    if (statusCode < 400 && mediaOf(row.reply))
      return { body, type: String(headers['content-type'] ?? '') } satisfies Served;
    const response = (await body.json().catch(unavailable)) as { data?: unknown; code?: string } | null;
    if (statusCode >= 400) throw new ServiceCallError(row.id, statusCode, response?.code);
    const { data, error } = z.safeDecode(row.reply, response?.data);
    if (error) {
      const message = 'returned a reply that does not match its contract';
      throw new ServiceCallError(row.id, 502, 'bad_gateway', { cause: error, message });
    }
    return data;
  };

  const entries = Object.entries(operations).map(([id, row]) => [
    id,
    (input: CallInput) => withSpan(callSpan(row), () => call(row, input)),
  ]);
  return Object.fromEntries(entries) as ServiceClient<Ops>;
}
