import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Log, type Metrics, newTrace } from '@tandem/process';
import { errorBody, GatewayError } from './gateway-error.ts';
import { newRequestId } from './request-id.ts';
import { hostFault } from './target.ts';

const lingerMs = 1_000;

// By default Node answers some requests itself, without our envelope and request id. The server disables that, and
// the functions below answer instead.

/** The error for a parsed request that violates HTTP; undefined if it is valid. */
export function unservable(request: IncomingMessage): GatewayError | undefined {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new GatewayError('expectation_failed');
  const message = hostFault(request);
  return message ? new GatewayError('malformed_request', { errors: [{ field: 'Host', message }] }) : undefined;
}

/** The error for a request that the HTTP parser rejected, by Node's error code. */
export function unreadable(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') return new GatewayError('headers_too_large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new GatewayError('body_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new GatewayError('request_timeout');
  return new GatewayError('malformed_request');
}

/** Writes an error response to a raw connection without a parsed request, and closes it. */
export function rejectRaw(stream: Duplex, error: GatewayError, { log, metrics }: { log: Log; metrics: Metrics }): void {
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
  // The parser no longer listens on this socket, and a client may keep its end open.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(lingerMs, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  metrics.request('none', status, 0);
  const { traceId } = newTrace(requestId);
  log.request({ requestId, traceId, operation: undefined, status, ms: 0, ip: socket.remoteAddress, code });
}
