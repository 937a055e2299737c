export interface Pagination {
  page: number;
  limit: number;
  total: number;
  /** True when `total` is not exact; absent otherwise. */
  totalIsEstimate?: boolean;
  totalPages: number;
  hasNext: boolean;
  hasPrev: boolean;
  nextCursor: string | null;
  /** The name of nextCursor before v1.18.0; the spec keeps it for one minor release. */
  nextPageToken: string | null;
}

export interface FieldError {
  field: string;
  message: string;
}

/** What every JSON answer looks like, success or error. */
export interface Envelope<T = unknown> {
  success: boolean;
  status: number;
  message?: string;
  code?: string;
  data?: T;
  errors?: FieldError[];
  pagination?: Pagination;
  meta: { timestamp: string; version: 'v1'; requestId: string };
}

/** The envelope of an answer that succeeded. */
export function envelope(answer: {
  status: number;
  message: string;
  data: unknown;
  pagination?: Pagination;
  requestId: string;
}): Envelope {
  const { status, message, data, pagination, requestId } = answer;
  return { success: true, status, message, data, ...(pagination && { pagination }), meta: meta(requestId) };
}

/** The envelope of a refused or failed request. `code` is for programs, `message` for people. */
export function errorEnvelope(answer: {
  status: number;
  message: string;
  code: string;
  errors?: FieldError[];
  requestId: string;
}): Envelope {
  const { status, message, code, errors, requestId } = answer;
  return { success: false, status, message, code, ...(errors?.length && { errors }), meta: meta(requestId) };
}

function meta(requestId: string) {
  return { timestamp: new Date().toISOString(), version: 'v1' as const, requestId };
}
