import { ServiceError } from '@tandem/client';
import { knownErrors, type Operation } from '@tandem/contract';
import { type Log, ShareTimeout } from '@tandem/process';
import { Failure } from './failure.ts';

/** An error as an answer: what the caller may read. */
export interface Failed {
  status: number;
  code: string;
  message: string;
  errors: Failure['errors'];
  /** Seconds to wait before a repetition. */
  retryAfter?: number;
}

/** Turns whatever was thrown into an answer. What is not a refusal is logged in full and answered without detail. */
export function failed(error: unknown, row: Operation | undefined, log: Log): Failed {
  if (error instanceof Failure) return refused(error, row);
  if (isBodyParserError(error)) return bodyFailed(error);
  // What the handler makes nothing of: another service refused what it should not have, or is away.
  if (error instanceof ServiceError) {
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

function refused(failure: Failure, row: Operation | undefined): Failed {
  const declared = row?.errors?.[failure.code];
  const { code, errors } = failure;
  const wait = failure.retryAfter !== undefined && { retryAfter: failure.retryAfter };
  if (declared) return { status: declared[0], code, message: declared[1], errors, ...wait };
  if (failure.status === undefined) throw new Error(`${row?.id} does not declare the error ${code}`);
  return { status: failure.status, code, message: failure.message, errors, ...wait };
}

function known(code: keyof typeof knownErrors): Failed {
  const [status, message] = knownErrors[code];
  return { status, code, message, errors: [] };
}

function isBodyParserError(error: unknown): error is { type: string } {
  return typeof (error as { type?: unknown })?.type === 'string' && 'status' in (error as object);
}

function bodyFailed(error: { type: string }): Failed {
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
