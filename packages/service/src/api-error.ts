import { type FieldError, knownErrors, type Warning } from '@tandem/contract';

type KnownCode = keyof typeof knownErrors;

/** An error that the API caller sees. Any other thrown error is answered as an internal error. */
export class ApiError extends Error {
  readonly code: string;
  /** Undefined for an error that only the operation's row declares. */
  readonly status: number | undefined;
  readonly errors: FieldError[];
  /** Seconds after which the request may succeed; sent as Retry-After. */
  readonly retryAfter: number | undefined;
  /** Whether what the handler wrote is committed nevertheless, such as the record of a refused attempt. */
  keepsWrites = false;
  /** Parts of the request that had no effect, which may explain the error. */
  warnings: Warning[] = [];

  constructor(code: string, status?: number, message?: string, errors: FieldError[] = [], retryAfter?: number) {
    super(message ?? code);
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

/**
 * Creates an ApiError with a known code, or with a code that the operation's row declares. The handler throws it.
 * @param errors the invalid fields, each with what is accepted
 * @param options.retryAfter seconds after which the request may succeed; rounded up to at least 1
 * @param options.warnings parts of the request that had no effect, which may explain the error
 * @param options.keepsWrites whether what the handler wrote before is committed nevertheless
 */
export function fail(
  code: KnownCode | (string & {}),
  errors?: FieldError[],
  {
    retryAfter,
    warnings = [],
    keepsWrites = false,
  }: { retryAfter?: number; warnings?: Warning[]; keepsWrites?: boolean } = {},
): ApiError {
  const known = knownErrors[code as KnownCode];
  const seconds = retryAfter === undefined ? undefined : Math.max(1, Math.ceil(retryAfter));
  return Object.assign(new ApiError(code, known?.[0], known?.[1], errors, seconds), { warnings, keepsWrites });
}

/** Creates the 422 error for one field of a body or query. The handler throws it. */
export function failField(field: string, message: string): ApiError {
  return fail('validation_failed', [{ field, message }]);
}

/**
 * The field error of a rejected status change: the current status, and the statuses that the record can change to.
 * @param allowed empty when the current status is final
 */
export function transitionError(current: string, allowed: readonly string[]): FieldError {
  const options = allowed.length ? `it can change to ${allowed.join(', ')}` : 'it cannot change';
  return { field: 'status', message: `The status is ${current}; ${options}` };
}
