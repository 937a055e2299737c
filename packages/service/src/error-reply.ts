import { ServiceCallError } from '@tandem/client/internal';
import { knownErrors, type Operation } from '@tandem/contract';
import { type Log, ShareTimeout } from '@tandem/process';
import { ApiError } from './api-error.ts';

/** An error as an answer: what the caller may read. */
export interface ErrorReply {
  status: number;
  code: string;
  message: string;
  errors: ApiError['errors'];
  /** Seconds to wait before a repetition. */
  retryAfter?: number;
}

/** Turns whatever was thrown into an answer. What is not a refusal is logged in full and answered without detail. */
export function errorReply(error: unknown, row: Operation | undefined, log: Log): ErrorReply {
  if (error instanceof ApiError) return declaredError(error, row);
  if (isBodyParserError(error)) return bodyFailed(error);
  // What the handler makes nothing of: another service refused what it should not have, or is away.
  if (error instanceof ServiceCallError) {
    log.error('another service gave no usable answer', { error, operation: row?.id });
    return known('unavailable');
  }
  if (isOutage(error)) {
    log.error('a store or a worker thread is away or busy', { error, operation: row?.id });
    return known('unavailable');
  }
  log.error('operation failed', { error, operation: row?.id });
  return known('internal_error');
}

function declaredError(error: ApiError, row: Operation | undefined): ErrorReply {
  const declared = row?.errors?.[error.code];
  const { code, errors } = error;
  const wait = error.retryAfter !== undefined && { retryAfter: error.retryAfter };
  if (declared) return { status: declared[0], code, message: declared[1], errors, ...wait };
  if (error.status === undefined) throw new Error(`${row?.id} does not declare the error ${code}`);
  return { status: error.status, code, message: error.message, errors, ...wait };
}

function known(code: keyof typeof knownErrors): ErrorReply {
  const [status, message] = knownErrors[code];
  return { status, code, message, errors: [] };
}

function isBodyParserError(error: unknown): error is { type: string } {
  return typeof (error as { type?: unknown })?.type === 'string' && 'status' in (error as object);
}

function bodyFailed(error: { type: string }): ErrorReply {
  if (error.type === 'entity.too.large') return known('body_too_large');
  if (error.type === 'charset.unsupported' || error.type === 'encoding.unsupported') return known('wrong_content_type');
  return known('malformed_json');
}

// Classes of SQLSTATE (PostgreSQL manual, appendix A): 08 connection, 53 resources, 57 operator, 40 a rollback that a repetition
// may survive; 55P03 is a lock timeout, 25006 a server that is no longer the primary, 25P03 an idle transaction that was ended.
const outageState = /^(08|53|57|40)|^(55P03|25006|25P03)$/;
const outageCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2034',
]);
const outageText =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable/;

/** Whether a store could not be reached or had no capacity: the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  for (let one = error, depth = 0; isObject(one) && depth < 5; one = one.cause, depth++) {
    const { code, message = '' } = one as { code?: unknown; message?: string };
    if (typeof code === 'string' && (outageState.test(code) || outageCodes.has(code))) return true;
    const driver = (one as { meta?: { driverAdapterError?: { cause?: { originalCode?: string; kind?: string } } } })
      .meta?.driverAdapterError?.cause;
    if (driver?.originalCode && outageState.test(driver.originalCode)) return true;
    if (one instanceof ShareTimeout || outageText.test(message)) return true;
  }
  return false;
}

function isObject(value: unknown): value is { cause?: unknown } {
  return typeof value === 'object' && value !== null;
}
