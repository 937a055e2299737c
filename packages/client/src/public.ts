import type { Envelope, FieldError, Operation, Operations, Pagination } from '@tandem/contract';
import type { z } from 'zod';
import { address } from './request.ts';

type Wire<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type Parts<Op> = {
  [K in 'params' | 'body' as Op extends Record<K, z.ZodType> ? K : never]: Op extends Record<K, infer Schema>
    ? Wire<Schema>
    : never;
} & (Op extends { query: infer Schema } ? { query?: Partial<Loose<Wire<Schema>>> & Including } : { query?: Including });
/** Parameters that the gateway reads: a saved view of the list, and the ids whose records to name. */
interface Including {
  view?: string;
  include?: string;
}
/** Query values may be numbers or booleans; they are sent as text. */
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
  /** The records that `include` named, by id. */
  included: Envelope['included'];
  /** How often values occur among all matches of a search. */
  facets: Envelope['facets'];
  headers: Headers;
}

/** Every public operation as a function. Ids are the opaque strings of the API, times ISO 8601 strings. */
export type ApiClient<Ops extends Operations> = {
  [K in keyof Ops]: (
    ...input: Record<never, never> extends Parts<Ops[K]>
      ? [input?: Parts<Ops[K]> & CallOptions]
      : [input: Parts<Ops[K]> & CallOptions]
  ) => Promise<Reply<Wire<Ops[K]['reply']>>>;
};

/** The API rejected a request or failed. */
export class ApiResponseError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly errors: FieldError[];
  readonly requestId: string | undefined;
  /** Seconds after which a retry may succeed, if the API sent Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<Envelope>, retryAfter: string | null) {
    super(body.message ?? `The API returned ${status}`);
    this.status = status;
    this.code = body.code;
    this.errors = body.errors ?? [];
    this.requestId = body.meta?.requestId;
    this.retryAfter = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/** Credentials: an API key, or a person's access token with its tenant. */
export type Credentials = { apiKey: string } | { accessToken: string; tenantId: string } | undefined;

const timeoutMs = 30_000;

/**
 * Creates a typed client of the public API.
 * @param options.baseUrl scheme and host, without /v1
 * @throws ApiResponseError for every error response
 */
export function createClient<Ops extends Operations>(options: {
  operations: Ops;
  baseUrl: string;
  credentials?: Credentials;
}): ApiClient<Ops> {
  const { operations, baseUrl, credentials } = options;
  const authHeaders: Record<string, string> =
    credentials === undefined
      ? {}
      : 'apiKey' in credentials
        ? { 'X-API-Key': credentials.apiKey }
        : { Authorization: `Bearer ${credentials.accessToken}`, 'X-Tenant-Id': credentials.tenantId };

  const call = async (
    row: Operation,
    input: { params?: object; query?: object; body?: object } & CallOptions = {},
  ): Promise<Reply<unknown>> => {
    const { path, search } = address(row, input as never);
    const response = await fetch(`${baseUrl}${path}${search}`, {
      method: row.method,
      signal: input.signal ?? AbortSignal.timeout(timeoutMs),
      headers: {
        ...authHeaders,
        ...(input.body && { 'Content-Type': 'application/json' }),
        ...(input.idempotencyKey && { 'Idempotency-Key': input.idempotencyKey }),
        ...(input.ifMatch && { 'If-Match': input.ifMatch }),
        ...(input.onBehalfOf && { 'X-On-Behalf-Of': input.onBehalfOf }),
      },
      ...(input.body && { body: JSON.stringify(input.body) }),
    });
    const { status, headers } = response;
    const body = (await response.json().catch(() => ({}))) as Partial<Envelope>;
    if (!response.ok) throw new ApiResponseError(status, body, headers.get('retry-after'));
    return {
      status,
      headers,
      data: row.envelope === 'none' ? body : body.data,
      message: body.message,
      pagination: body.pagination,
      included: body.included,
      facets: body.facets,
    };
  };

  const entries = Object.entries(operations).map(([id, row]) => [
    id,
    (input?: Parameters<typeof call>[1]) => call(row, input),
  ]);
  return Object.fromEntries(entries) as ApiClient<Ops>;
}
