import { errorEnvelope, type FieldError, knownErrors } from '@tandem/contract';

/** An error response sent by the gateway itself; the request is not processed further. */
export class GatewayError extends Error {
  readonly code: keyof typeof knownErrors;
  readonly status: number;
  readonly errors: FieldError[];
  /** Retry-After in seconds. */
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  /** Whether to close the connection after the response, because the rest of the request is not read. */
  readonly hangUp: boolean;
  /** Whether a service may carry out the request although this error is the response. */
  readonly mayHaveRun: boolean;

  constructor(
    code: keyof typeof knownErrors,
    more: {
      /** The message of the code by default. */
      message?: string;
      errors?: FieldError[];
      retryAfter?: number;
      headers?: Record<string, string>;
      hangUp?: boolean;
      mayHaveRun?: boolean;
    } = {},
  ) {
    super(more.message ?? knownErrors[code][1]);
    this.code = code;
    this.status = knownErrors[code][0];
    this.errors = more.errors ?? [];
    this.retryAfter = more.retryAfter;
    this.headers = more.headers ?? {};
    this.hangUp = more.hangUp ?? false;
    this.mayHaveRun = more.mayHaveRun ?? false;
  }
}

/** The body of an error response. */
export function errorBody(
  error: Pick<GatewayError, 'status' | 'message' | 'code' | 'errors'>,
  requestId: string,
): string {
  return JSON.stringify(errorEnvelope({ ...error, message: error.message, requestId }));
}
