import {
  encodeOnce,
  envelope,
  errorEnvelope,
  isPage,
  jobStartedMessage,
  mediaOf,
  nowOrJob,
  type Operation,
  type Pagination,
  pageItem,
  pageOrOther,
  replyStatus,
  type Served,
  type Warning,
} from '@tandem/contract';
import { inTurns } from '@tandem/process';
import { z } from 'zod';
import type { ErrorResponse } from './error-response.ts';
import { etagOf } from './etag.ts';
import type { PageResult } from './list.ts';

/** A response to the gateway. */
export interface ServiceResponse {
  status: number;
  body: string;
  etag?: string;
  /** Whether this is the response of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
  /** The tenant that a public operation acted in: the gateway needs it to encode the ids of the reply. */
  tenantId?: number;
  /** Seconds to wait before retrying. */
  retryAfter?: number;
  /** Headers that the handler set. */
  headers?: Record<string, string | string[]>;
  /** The content to serve instead of JSON; `body` is empty then. */
  served?: Served;
}

/** Response metadata besides the data. */
interface About {
  requestId: string;
  /** Overrides the status of the row. */
  status?: number | undefined;
  warnings?: Warning[];
  /** A digest that only holders of the service's key can compute. */
  digest(text: string): string;
}

/**
 * Encodes a handler's result by the reply schema of the row; columns that the contract does not declare are dropped.
 * @throws ZodError when the handler returned a value that violates the contract, which is an internal error
 */
export async function encodeResult(row: Operation, result: unknown, about: About): Promise<ServiceResponse> {
  const status = about.status ?? replyStatus(row);
  const either = pageOrOther(row.reply);
  if (either && 'other' in (result as object))
    return encodeResult({ ...row, reply: either.other as z.ZodType }, (result as { other: unknown }).other, about);
  if (either) return encodeResult({ ...row, reply: either.page as z.ZodType }, result, about);
  const later = nowOrJob(row.reply);
  if (later && 'job' in (result as object)) {
    const started = { ...row, reply: later.job, message: jobStartedMessage };
    return encodeResult(started, (result as { job: unknown }).job, { ...about, status: 202 });
  }
  if (later) return encodeResult({ ...row, reply: later.now }, result, about);
  if (isPage(row.reply)) return encodePage(row, result as PageResult<unknown>, about);
  if (mediaOf(row.reply)) return encodeServed(status, result as Served);
  const data = JSON.stringify(encodeOnce(row.reply, result)) as string | undefined;
  const version = (result as { version?: unknown } | null)?.version;
  return {
    status,
    body: enveloped(row, data, { ...about, status }),
    ...(typeof version === 'number' && data && { etag: etagOf(version, data, about.digest) }),
  };
}

function encodeServed(status: number, served: Served): ServiceResponse {
  return { status, body: '', served };
}

function enveloped(row: Operation, data: string | undefined, about: About & { status: number }): string {
  const { message } = row;
  if (row.envelope === 'none') return data ?? '';
  const around =
    row.envelope === 'short' ? { success: true, data: [], message } : envelope({ ...about, message, data: [] });
  return withData(around, data);
}

/** Serialises an envelope, and inserts data that is JSON already; without data it has no such field. */
function withData(around: object, data: string | undefined): string {
  if (data === undefined) return JSON.stringify({ ...around, data });
  // Quotes in the texts of the envelope are escaped, so none of them contains this.
  return JSON.stringify(around).replace('"data":[]', () => `"data":${data}`);
}

/** The response for an error. */
export function encodeError(error: ErrorResponse, requestId: string): ServiceResponse {
  const { retryAfter, ...shown } = error;
  const body = JSON.stringify(errorEnvelope({ ...shown, requestId }));
  return { status: error.status, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Encodes items one by one: a page may have megabytes of customer data. */
async function encodePage(row: Operation, result: PageResult<unknown>, about: About): Promise<ServiceResponse> {
  const { items, total, isTotalEstimate, page, limit, hasPrev, nextCursor, hasNext = nextCursor !== null } = result;
  const item = pageItem(row.reply);
  const written = await inTurns(items, (value) => JSON.stringify(z.encode(item, value)));
  const totalPages = Math.ceil(total / limit);
  const pagination: Pagination = {
    page,
    limit,
    total,
    ...(isTotalEstimate && { totalIsEstimate: true }),
    totalPages,
    hasNext,
    hasPrev,
    nextCursor,
    nextPageToken: nextCursor,
  };
  const status = replyStatus(row);
  const { facets, areFacetsEstimates } = result;
  const counted = { facets, facetsAreEstimates: areFacetsEstimates };
  const around = envelope({ ...about, ...counted, status, message: row.message, data: [], pagination });
  return { status, body: withData(around, `[${written.join(',')}]`) };
}
