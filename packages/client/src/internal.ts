import { type Caller, type CallerSigner, callerHeader } from '@tandem/caller';
import type { Operation, Operations } from '@tandem/contract';
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

/** One service's operations as functions, with ids as numbers and times as Dates, as inside a handler. */
export type ServiceClient<Ops extends Operations> = {
  [K in keyof Ops]: (
    given: Parts<Ops[K]> & { as: Omit<Caller, 'type' | 'permissions'> },
  ) => Promise<Out<Ops[K]['reply']>>;
};

/** Another service refused or failed; `status` says which. */
export class ServiceCallError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  constructor(operation: string, status: number, code: string | undefined, cause?: unknown) {
    super(`${operation} answered ${status}`, { cause });
    this.status = status;
    this.code = code;
  }
}

/** What another service answers, or undefined when it says that there is no such thing. */
export async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof ServiceCallError && error.status === 404) return undefined;
    throw error;
  });
}

const timeoutMs = 3_000;
// Below the 70 s after which a service closes an idle connection (packages/service): only this side closes one.
const idleMs = 30_000;
// An older connection is replaced: behind a balancer, new instances of the called service get their share.
const ageMs = 60_000;

function callSpan({ id, method, path }: Operation): SpanStart {
  const attributes = { 'http.request.method': method, 'url.template': path, 'tandem.operation': id };
  return { name: `${method} ${path}`, kind: 'client', attributes };
}

/**
 * A client for calls from one service to another, signed as the calling service within the given tenant.
 * Calls wait 3 s at most, or as long as the row says. Inside a database transaction they throw.
 * @throws ServiceCallError for every answer that is not a success, and with status 503 when there is none
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
    // Otherwise the service's own Keep-Alive header would raise the limit to its 70 s.
    keepAliveMaxTimeout: idleMs,
    clientTtl: ageMs,
  });

  const call = async (
    row: Operation,
    given: { params?: object; query?: object; body?: object; as: Omit<Caller, 'type' | 'permissions'> },
  ) => {
    outgoingGuard.assertMayCall(row.id);
    const caller: Caller = { ...given.as, type: 'system', name: service, permissions: [] };
    const { path, search } = address(row, {
      ...(row.params && { params: z.encode(row.params, given.params as never) as Record<string, unknown> }),
      ...(row.query && { query: z.encode(row.query, given.query as never) as Record<string, unknown> }),
    });
    const trace = currentTrace();
    const { statusCode, body } = await request(`${baseUrl}${path}${search}`, {
      method: row.method,
      dispatcher: agent,
      headersTimeout: row.timeoutMs ?? timeoutMs,
      bodyTimeout: row.timeoutMs ?? timeoutMs,
      headers: {
        [callerHeader]: signer.sign(caller, row.method, path),
        ...(trace && { traceparent: traceparentOf(trace) }),
        ...(row.body && { 'content-type': 'application/json' }),
      },
      ...(row.body && { body: JSON.stringify(z.encode(row.body, given.body as never)) }),
    }).catch((error: unknown) => {
      throw new ServiceCallError(row.id, 503, 'unavailable', error);
    });
    const answer = (await body.json()) as { data?: unknown; code?: string };
    if (statusCode >= 400) throw new ServiceCallError(row.id, statusCode, answer.code);
    return z.decode(row.reply, answer.data as never);
  };

  const entries = Object.entries(operations).map(([id, row]) => [
    id,
    (given: Parameters<typeof call>[1]) => withSpan(callSpan(row), () => call(row, given)),
  ]);
  return Object.fromEntries(entries) as ServiceClient<Ops>;
}
