import { errorEnvelope, type FieldError, knownErrors } from '@tandem/contract';

/** An answer that the gateway gives by itself: the request goes no further. */
export class ApiError extends Error {
  readonly code: keyof typeof knownErrors;
  readonly status: number;
  readonly errors: FieldError[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  /** Whether the rest of the request will not be read, so that the connection must end with the answer. */
  readonly hangUp: boolean;

  constructor(
    code: keyof typeof knownErrors,
    more: { errors?: FieldError[]; retryAfter?: number; headers?: Record<string, string>; hangUp?: boolean } = {},
  ) {
    super(knownErrors[code][1]);
    this.code = code;
    this.status = knownErrors[code][0];
    this.errors = more.errors ?? [];
    this.retryAfter = more.retryAfter;
    this.headers = more.headers ?? {};
    this.hangUp = more.hangUp ?? false;
  }
}

/** The body of an error response. */
export function errorBody(error: Pick<ApiError, 'status' | 'message' | 'code' | 'errors'>, requestId: string): string {
  return JSON.stringify(errorEnvelope({ ...error, message: error.message, requestId }));
}
