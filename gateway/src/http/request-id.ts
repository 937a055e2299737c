import type { IncomingMessage } from 'node:http';
import { randomHex } from '@tandem/process';

/** The request id for responses and logs: the client's X-Request-Id if it is well-formed, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const requestId = request.headers['x-request-id'];
  return typeof requestId === 'string' && /^[\w.-]{8,64}$/.test(requestId) ? requestId : newRequestId();
}

export function newRequestId(): string {
  return `req_${randomHex(12)}`;
}
