import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Log, type Metrics, newTrace } from '@tandem/process';
import { ApiError, errorBody } from './api-error.ts';
import { newRequestId } from './request-id.ts';
import { hostFault } from './target.ts';

const lingerMs = 1_000;

// Node would answer some requests by itself, without our envelope and without a request id. It is told to leave them to
// us, and here is what we say.

/** What HTTP itself forbids in a request that could be read; undefined when nothing. */
export function unservable(request: IncomingMessage): ApiError | undefined {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new ApiError('expectation_failed');
  const message = hostFault(request);
  return message ? new ApiError('malformed_request', { errors: [{ field: 'Host', message }] }) : undefined;
}

/** The error for what the parser could not read, by Node's error code. */
export function unreadable(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new ApiError('body_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout');
  return new ApiError('malformed_request');
}

/** Answers on a connection that has no request to answer, and ends it. */
export function refuseRaw(stream: Duplex, error: ApiError, { log, metrics }: { log: Log; metrics: Metrics }): void {
  const socket = stream as Socket;
  const requestId = newRequestId();
  const { status, code } = error;
  const body = errorBody(error, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Nobody else listens on a socket that its parser has left, and a client may keep its end open.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(lingerMs, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  metrics.request('none', status, 0);
  const { traceId } = newTrace(requestId);
  log.request({ requestId, traceId, operation: undefined, status, ms: 0, ip: socket.remoteAddress, code });
}
