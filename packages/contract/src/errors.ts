/**
 * Errors that any operation may answer, with the texts of the spec: code → status and message. An operation declares
 * only its own errors.
 */
export const knownErrors = {
  malformed_json: [400, 'The request body is not valid JSON'],
  malformed_request: [400, 'The request is malformed'],
  bad_cursor: [400, 'The cursor is not valid for this list; request the first page without a cursor'],
  two_credentials: [400, 'Send either X-API-Key or Authorization, not both'],
  environment_mismatch: [400, 'X-Environment does not match the environment of the credential; omit the header'],
  unauthenticated: [401, 'Invalid or missing API key'],
  forbidden: [403, 'Insufficient permissions'],
  portal_role: [403, 'Your role in the portal does not allow this; ask an owner'],
  feature_not_available: [403, 'Your plan does not include this feature; upgrade the plan or install an addon with it'],
  tenant_suspended: [403, 'This account is suspended; contact support to resume it'],
  bad_target_user: [403, 'Target user not found or not in the same tenant'],
  gateway_only: [403, 'Requests must pass through the API gateway'],
  live_key_needed: [403, 'A sandbox key cannot change data that live and sandbox share; use a live key'],
  live_needed: [403, 'This operation sends mail, so it does not exist in the sandbox; omit X-Environment'],
  not_found: [404, 'Resource not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'The request was not received in time; send it again'],
  conflict: [409, 'The request conflicts with the current state of the resource'],
  idempotency_mismatch: [409, 'This Idempotency-Key was used with a different request'],
  idempotency_running: [409, 'A request with this Idempotency-Key is still in progress; try again later'],
  stale_version: [412, 'The resource was modified since you read it; retrieve it and repeat the request'],
  body_too_large: [413, 'The request body is too large'],
  uri_too_long: [414, 'The request URL is too long'],
  wrong_content_type: [415, 'Send the request body as application/json'],
  expectation_failed: [417, 'Send the request without Expect, or with Expect: 100-continue'],
  validation_failed: [422, 'Validation failed'],
  headers_too_large: [431, 'The request headers are too large'],
  rate_limited: [429, 'API call limit exceeded. Upgrade your plan for higher limits.'],
  quota_exceeded: [429, 'API call limit exceeded. Upgrade your plan for higher limits.'],
  internal_error: [500, 'Something went wrong on our side'],
  bad_gateway: [502, 'A backend service returned an invalid response; try again'],
  unavailable: [503, 'A backend service is temporarily unavailable; try again later'],
  upstream_timeout: [504, 'A backend service did not respond in time; try again'],
} as const satisfies Record<string, readonly [number, string]>;

/** Errors that several services declare for their operations: code → status and message. */
export const sharedErrors = {
  transition_refused: [409, 'The status of the resource cannot change to this value'],
  not_deleted: [409, 'The resource is not deleted'],
  link_expired: [404, 'The link has expired; request a new one'],
} as const satisfies Record<string, readonly [number, string]>;
