import type { IncomingMessage } from 'node:http';
import { randomHex } from '@tandem/process';

/** The name of a request in answers and logs: the client's own if it has a sensible form. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newRequestId();
}

/** A name for a request that brings none. */
export function newRequestId(): string {
  return `req_${randomHex(12)}`;
}
