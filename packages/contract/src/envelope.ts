export interface Pagination {
  page: number;
  limit: number;
  total: number;
  /** True when `total` and `totalPages` are estimates, or up to a minute old: above 10,000 records. */
  totalIsEstimate?: boolean;
  totalPages: number;
  hasNext: boolean;
  hasPrev: boolean;
  nextCursor: string | null;
  /** The name of nextCursor before v1.18.0; the spec keeps it for one minor release. */
  nextPageToken: string | null;
}

/** The values of fields, the most frequent first. */
export type Facets = Record<string, { value: string; count: number }[]>;

export interface FieldError {
  field: string;
  message: string;
}

/** A warning: part of the request had no effect, or part of the response is missing. */
export interface Warning {
  code: 'unknown_parameter' | 'unknown_field' | 'names_missing' | 'part_missing';
  field: string;
  message: string;
}

/** The JSON envelope of every response, success or error. */
export interface Envelope<T = unknown> {
  success: boolean;
  status: number;
  message?: string;
  code?: string;
  data?: T;
  errors?: FieldError[];
  pagination?: Pagination;
  /** How often each value of a field occurs among all matches of a search. */
  facets?: Facets;
  /** True when `facets` were not counted over all matches. */
  facetsAreEstimates?: boolean;
  /** The records that `include` names, by id. */
  included?: Record<string, { type: string; name: string }>;
  meta: { timestamp: string; version: 'v1'; requestId: string; warnings?: Warning[] };
}

/** Builds the envelope of a successful response. */
export function envelope(response: {
  status: number;
  message: string;
  data: unknown;
  pagination?: Pagination;
  facets?: Facets | undefined;
  facetsAreEstimates?: boolean | undefined;
  requestId: string;
  warnings?: Warning[] | undefined;
}): Envelope {
  const { status, message, data, pagination, facets, facetsAreEstimates, requestId, warnings } = response;
  return {
    success: true,
    status,
    message,
    data,
    ...(pagination && { pagination }),
    ...(facets && { facets }),
    ...(facetsAreEstimates && { facetsAreEstimates }),
    meta: meta(requestId, warnings),
  };
}

/** Builds the envelope of an error response. `code` is for programs, `message` for people. */
export function errorEnvelope(response: {
  status: number;
  message: string;
  code: string;
  errors?: FieldError[];
  requestId: string;
  warnings?: Warning[] | undefined;
}): Envelope {
  const { status, message, code, errors, requestId, warnings } = response;
  return { success: false, status, message, code, ...(errors?.length && { errors }), meta: meta(requestId, warnings) };
}

function meta(requestId: string, warnings: Warning[] = []): Envelope['meta'] {
  const timestamp = new Date().toISOString();
  return { timestamp, version: 'v1', requestId, ...(warnings.length && { warnings }) };
}
