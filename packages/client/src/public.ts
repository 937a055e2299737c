import type { Envelope, FieldError, Operation, Operations, Pagination } from '@tandem/contract';
import type { z } from 'zod';
import { address } from './request.ts';

type Wire<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type Parts<Op> = {
  [K in 'params' | 'body' as Op extends Record<K, z.ZodType> ? K : never]: Op extends Record<K, infer Schema>
    ? Wire<Schema>
    : never;
} & (Op extends { query: infer Schema } ? { query?: Partial<Loose<Wire<Schema>>> } : unknown);
/** Query values may be given as what they mean; they are written as text. */
type Loose<T> = { [K in keyof T]: T[K] | number | boolean };

interface CallOptions {
  idempotencyKey?: string;
  ifMatch?: string;
  onBehalfOf?: string;
  signal?: AbortSignal;
}

export interface Reply<Data> {
  status: number;
  data: Data;
  message: string | undefined;
  pagination: Pagination | undefined;
  headers: Headers;
}

/** Every public operation as a function. Ids are the opaque strings of the API, times ISO 8601 strings. */
export type ApiClient<Ops extends Operations> = {
  [K in keyof Ops]: (
    ...given: Record<never, never> extends Parts<Ops[K]>
      ? [given?: Parts<Ops[K]> & CallOptions]
      : [given: Parts<Ops[K]> & CallOptions]
  ) => Promise<Reply<Wire<Ops[K]['reply']>>>;
};

/** The platform refused a request or failed. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly errors: FieldError[];
  readonly requestId: string | undefined;
  /** Seconds after which a repetition makes sense, when the platform said so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<Envelope>, retryAfter: string | null) {
    super(body.message ?? `The platform answered ${status}`);
    this.status = status;
    this.code = body.code;
    this.errors = body.errors ?? [];
    this.requestId = body.meta?.requestId;
    this.retryAfter = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/** How a program proves who it is: a key, or a person's token with the tenant it belongs to. */
export type Credentials = { apiKey: string } | { accessToken: string; tenantId: string } | undefined;

const timeoutMs = 30_000;

/**
 * A typed client of the public API.
 * @param options.baseUrl scheme and host, without /v1
 * @throws ApiError for every answer that is not a success
 */
export function createClient<Ops extends Operations>(options: {
  operations: Ops;
  baseUrl: string;
  credentials?: Credentials;
}): ApiClient<Ops> {
  const { operations, baseUrl, credentials } = options;
  const proof: Record<string, string> =
    credentials === undefined
      ? {}
      : 'apiKey' in credentials
        ? { 'X-API-Key': credentials.apiKey }
        : { Authorization: `Bearer ${credentials.accessToken}`, 'X-Tenant-Id': credentials.tenantId };

  const call = async (
    row: Operation,
    given: { params?: object; query?: object; body?: object } & CallOptions = {},
  ): Promise<Reply<unknown>> => {
    const { path, search } = address(row, given as never);
    const response = await fetch(`${baseUrl}${path}${search}`, {
      method: row.method,
      signal: given.signal ?? AbortSignal.timeout(timeoutMs),
      headers: {
        ...proof,
        ...(given.body && { 'Content-Type': 'application/json' }),
        ...(given.idempotencyKey && { 'Idempotency-Key': given.idempotencyKey }),
        ...(given.ifMatch && { 'If-Match': given.ifMatch }),
        ...(given.onBehalfOf && { 'X-On-Behalf-Of': given.onBehalfOf }),
      },
      ...(given.body && { body: JSON.stringify(given.body) }),
    });
    const { status, headers } = response;
    const body = (await response.json().catch(() => ({}))) as Partial<Envelope>;
    if (!response.ok) throw new ApiError(status, body, headers.get('retry-after'));
    return {
      status,
      headers,
      data: row.envelope === 'none' ? body : body.data,
      message: body.message,
      pagination: body.pagination,
    };
  };

  const entries = Object.entries(operations).map(([id, row]) => [
    id,
    (given?: Parameters<typeof call>[1]) => call(row, given),
  ]);
  return Object.fromEntries(entries) as ApiClient<Ops>;
}
