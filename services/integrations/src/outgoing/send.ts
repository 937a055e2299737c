import type { attemptErrors } from '@tandem/integrations-contract';
import { BlockedAddressError, NoAddressError, type Target } from '@tandem/outgoing';
import { outgoingGuard } from '@tandem/process';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';

export type AttemptError = (typeof attemptErrors)[number];

/** Result of one attempt. */
export interface Outcome {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** null after a 2xx response. */
  error: AttemptError | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
}

export interface Sender {
  send(to: {
    url: string;
    environment: string;
    headers: readonly [string, string][];
    body: Uint8Array;
  }): Promise<Outcome>;
}

const connectTimeoutMs = 5_000;
const bodyReadMax = 16_384;
const bodyKeptMax = 4_096;
const responseHeadersMax = 50;
const responseHeaderLengthMax = 1_024;
const idleMs = 4_000;

/**
 * Sends over HTTP/1.1, which keeps the letter case of header names. Does not follow redirects, because their target is
 * not checked.
 * @param options.timeoutMs for the whole exchange, including the response body
 */
export function createSender(options: { target: Target; timeoutMs: number; proxyUrl?: string | undefined }): Sender {
  const { target, timeoutMs } = options;
  const dispatcher = dispatcherOf(options);
  return {
    async send({ url, environment, headers, body }) {
      outgoingGuard.assertMayCall('A webhook receiver');
      const startedAt = new Date();
      const startMs = performance.now();
      const outcomeOf = (fields: Partial<Outcome>): Outcome => ({
        startedAt,
        durationMs: Math.round(performance.now() - startMs),
        statusCode: null,
        error: null,
        responseHeaders: null,
        responseBody: null,
        ...fields,
      });
      // An address literal does not use the lookup, so every attempt checks it here.
      if (target.urlError(url, environment)) return outcomeOf({ error: 'blocked_address' });
      const signal = AbortSignal.timeout(timeoutMs);
      let received: Partial<Outcome> = {};
      try {
        const response = await request(url, { dispatcher, method: 'POST', headers: headers.flat(), body, signal });
        const { statusCode } = response;
        received = { statusCode, responseHeaders: storedHeaders(response.headers) };
        received.responseBody = await readBody(response.body);
        return outcomeOf({ ...received, error: statusCode >= 200 && statusCode < 300 ? null : 'http_status' });
      } catch (error) {
        return outcomeOf({ ...received, error: attemptErrorOf(error, signal.aborted) });
      }
    },
  };
}

function dispatcherOf({
  target,
  timeoutMs,
  proxyUrl,
}: {
  target: Target;
  timeoutMs: number;
  proxyUrl?: string | undefined;
}): Dispatcher {
  const connect = { lookup: target.lookup, timeout: Math.min(connectTimeoutMs, timeoutMs), allowH2: false };
  const common = {
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  };
  return proxyUrl
    ? new ProxyAgent({ ...common, uri: proxyUrl, proxyTunnel: true, requestTls: { timeout: connect.timeout } })
    : new Agent({ ...common, connect });
}

/** Reads more than is stored, so that a typical response completes and its connection can be reused. */
async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bodyReadMax) break;
  }
  const text = Buffer.concat(chunks).subarray(0, bodyKeptMax).toString('utf8');
  // PostgreSQL cannot store NUL.
  return text.replaceAll('\0', '\uFFFD');
}

function storedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const stored = Object.entries(headers).slice(0, responseHeadersMax);
  return Object.fromEntries(stored.map(([name, value]) => [name, String(value).slice(0, responseHeaderLengthMax)]));
}

const dnsCodes = /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EBADNAME)/;
const timeoutCodes = /^(UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ETIMEDOUT)$/;
const tlsCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO|HOSTNAME_MISMATCH)/;

interface ErrorLike {
  code?: unknown;
  cause?: ErrorLike;
  errors?: ErrorLike[];
}

/** Finds an error code in the cause chain, and in the errors of an AggregateError when all addresses failed. */
function attemptErrorOf(error: unknown, isTimeUp: boolean): AttemptError {
  for (let one = error as ErrorLike | undefined; one; one = one.cause ?? one.errors?.[0]) {
    if (one instanceof BlockedAddressError) return 'blocked_address';
    if (one instanceof NoAddressError) return 'dns';
    const code = String(one.code ?? '');
    if (timeoutCodes.test(code)) return 'timeout';
    if (dnsCodes.test(code)) return 'dns';
    if (tlsCodes.test(code)) return 'tls';
  }
  return isTimeUp ? 'timeout' : 'connect';
}
