import { type FieldError, knownErrors } from '@tandem/contract';

type KnownCode = keyof typeof knownErrors;

/** An answer that refuses the request; everything else that is thrown is our own fault. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly errors: FieldError[];
  /** Seconds after which a repetition makes sense; sent as Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(code: string, status?: number, message?: string, errors: FieldError[] = [], retryAfter?: number) {
    super(message ?? code);
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

/**
 * Refuses the request with a known error or one that the operation's row declares.
 * @param errors the fields it is about, each with what would be right
 */
export function fail(code: KnownCode | (string & {}), errors?: FieldError[]): Failure {
  const known = knownErrors[code as KnownCode];
  return new Failure(code, known?.[0], known?.[1], errors);
}

/** Refuses the request for now: a repetition makes sense after so many seconds. */
export function failFor(seconds: number, code: KnownCode | (string & {})): Failure {
  const known = knownErrors[code as KnownCode];
  return new Failure(code, known?.[0], known?.[1], [], Math.max(1, Math.ceil(seconds)));
}

/** Refuses one field of a body or query: 422 naming it. */
export function failField(field: string, message: string): Failure {
  return fail('validation_failed', [{ field, message }]);
}
