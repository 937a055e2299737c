import { ServiceCallError } from '@tandem/client/internal';
import { knownErrors, type Operation, type Warning } from '@tandem/contract';
import { type Log, ShareTimeoutError } from '@tandem/process';
import { ApiError } from './api-error.ts';

/** An error as the API caller sees it. */
export interface ErrorResponse {
  status: number;
  code: string;
  message: string;
  errors: ApiError['errors'];
  /** Seconds to wait before retrying. */
  retryAfter?: number;
  warnings?: Warning[];
}

/**
 * Converts any thrown value into a response. Anything but an ApiError is logged in full and answered without detail.
 */
export function toErrorResponse(error: unknown, row: Operation | undefined, log: Log): ErrorResponse {
  if (error instanceof ApiError) return declaredError(error, row);
  if (isBodyParserError(error)) return bodyParserError(error);
  // The handler did not expect this error: another service rejected the call or is unavailable.
  if (error instanceof ServiceCallError) {
    log.error('call to another service failed', { error, operation: row?.id });
    // A contract mismatch between two releases lasts until both are the same, and is no outage.
    return known(error.code === 'bad_gateway' ? 'bad_gateway' : 'unavailable');
  }
  if (isOfRemovedTenant(error)) return known('tenant_suspended');
  if (isOutage(error)) {
    log.error('a store or a worker thread is unavailable', { error, operation: row?.id });
    return known('unavailable');
  }
  log.error('operation failed', { error, operation: row?.id });
  return known('internal_error');
}

function declaredError(error: ApiError, row: Operation | undefined): ErrorResponse {
  const declared = row?.errors?.[error.code];
  const { code, errors, warnings } = error;
  const wait = error.retryAfter !== undefined && { retryAfter: error.retryAfter };
  if (declared) return { status: declared[0], code, message: declared[1], errors, warnings, ...wait };
  if (error.status === undefined) throw new Error(`${row?.id} does not declare the error ${code}`);
  return { status: error.status, code, message: error.message, errors, warnings, ...wait };
}

function known(code: keyof typeof knownErrors): ErrorResponse {
  const [status, message] = knownErrors[code];
  return { status, code, message, errors: [] };
}

function isBodyParserError(error: unknown): error is { type: string } {
  return typeof (error as { type?: unknown })?.type === 'string' && 'status' in (error as object);
}

function bodyParserError(error: { type: string }): ErrorResponse {
  if (error.type === 'entity.too.large') return known('body_too_large');
  if (error.type === 'charset.unsupported' || error.type === 'encoding.unsupported') return known('wrong_content_type');
  return known('malformed_json');
}

// SQLSTATE classes (PostgreSQL manual, appendix A): 08 connection, 53 resources, 57 operator intervention, 40 a
// rollback that a retry may survive. 55P03 is a lock timeout, 25006 a server that is no longer the primary, 25P03 a
// terminated idle transaction.
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

/** Whether a store was unreachable or out of capacity, so that the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  for (let current = error, depth = 0; isObject(current) && depth < 5; current = current.cause, depth++) {
    const { code, message = '' } = current as { code?: unknown; message?: string };
    if (typeof code === 'string' && (outageState.test(code) || outageCodes.has(code))) return true;
    const driver = (current as { meta?: { driverAdapterError?: { cause?: { originalCode?: string; kind?: string } } } })
      .meta?.driverAdapterError?.cause;
    if (driver?.originalCode && outageState.test(driver.originalCode)) return true;
    if (current instanceof ShareTimeoutError || outageText.test(message)) return true;
  }
  return false;
}

// Raised by platform.refuse_removed_tenant (migrations/0007).
const removedTenantState = 'TNR01';

/** Whether a transaction was rolled back because the data of its tenant is being removed. */
function isOfRemovedTenant(error: unknown): boolean {
  for (let current = error, depth = 0; isObject(current) && depth < 5; current = current.cause, depth++)
    if ((current as { code?: unknown }).code === removedTenantState) return true;
  return false;
}

function isObject(value: unknown): value is { cause?: unknown } {
  return typeof value === 'object' && value !== null;
}
