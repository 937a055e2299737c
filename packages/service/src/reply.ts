import {
  encodeOnce,
  envelope,
  errorEnvelope,
  isPage,
  mediaOf,
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
import type { ErrorReply } from './error-reply.ts';
import type { PageResult } from './list.ts';

/** What goes back to the gateway. */
export interface Answer {
  status: number;
  body: string;
  etag?: string;
  /** Whether this is the answer of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
  /** The tenant that a public operation acted in: the gateway needs it to encode the ids of the reply. */
  tenantId?: number;
  /** Seconds to wait before a repetition. */
  retryAfter?: number;
  /** Headers that the handler set. */
  headers?: Record<string, string>;
  /** What is answered instead of JSON; `body` is empty then. */
  served?: Served;
}

/** What an answer says besides its data. */
interface About {
  requestId: string;
  /** Instead of the row's. */
  status?: number | undefined;
  warnings?: Warning[];
}

/**
 * Shapes what a handler returned by the row's reply schema: columns that the contract does not show are dropped.
 * @throws ZodError when the handler returned something else than the contract says, which is our fault
 */
export async function reply(row: Operation, result: unknown, about: About): Promise<Answer> {
  const status = about.status ?? replyStatus(row);
  const either = pageOrOther(row.reply);
  if (either && 'other' in (result as object))
    return reply({ ...row, reply: either.other as z.ZodType }, (result as { other: unknown }).other, about);
  if (either) return reply({ ...row, reply: either.page as z.ZodType }, result, about);
  if (isPage(row.reply)) return pageReply(row, result as PageResult<unknown>, about);
  if (mediaOf(row.reply)) return servedReply(status, result as Served);
  const data = encodeOnce(row.reply, result);
  const version = (result as { version?: unknown } | null)?.version;
  return {
    status,
    body: JSON.stringify(enveloped(row, data, { ...about, status })),
    ...(typeof version === 'number' && { etag: `"${version}"` }),
  };
}

function servedReply(status: number, served: Served): Answer {
  return { status, body: '', served };
}

function enveloped(row: Operation, data: unknown, about: About & { status: number }): unknown {
  const { message } = row;
  if (row.envelope === 'none') return data;
  return row.envelope === 'short' ? { success: true, data, message } : envelope({ ...about, message, data });
}

/** The answer for an error. */
export function errorAnswer(failed: ErrorReply, requestId: string): Answer {
  const { retryAfter, ...shown } = failed;
  const body = JSON.stringify(errorEnvelope({ ...shown, requestId }));
  return { status: failed.status, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Items are written one by one: a page may hold megabytes of the customer's own data. */
async function pageReply(row: Operation, result: PageResult<unknown>, about: About): Promise<Answer> {
  const { items, total, isTotalEstimate, page, limit, hasPrev, nextCursor, hasNext = nextCursor !== null } = result;
  const item = pageItem(row.reply);
  const written = await inTurns(items, (one) => JSON.stringify(z.encode(item, one as never)));
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
  const around = JSON.stringify(envelope({ ...about, status, message: row.message, data: [], pagination }));
  return { status, body: around.replace(noItems, () => `"data":[${written.join(',')}]`) };
}

// Its quotes are not escaped, so it cannot stand in a text of the envelope.
const noItems = '"data":[]';
