import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, callerHeader, countedAddress } from '@tandem/caller';
import { cookieHeader, type Operation, readCookies, takesIdempotencyKey } from '@tandem/contract';
import { startTrace, traceparentOf } from '@tandem/process';
import type { Authenticated } from './access/authenticate.ts';
import { callerOf, checkAgain } from './access/caller.ts';
import { checkPermission } from './access/check-permission.ts';
import type { Exchange } from './exchange.ts';
import { finish } from './finish.ts';
import { GatewayError } from './http/gateway-error.ts';
import { limitHeaders } from './http/headers.ts';
import { checkStreamedBody, hasOtherMedia, readBody } from './http/read-body.ts';
import { readJson } from './http/read-json.ts';
import { requestIdOf } from './http/request-id.ts';
import { unservable } from './http/unserved.ts';
import { decodeBody, decodePath, decodeQuery, repeatedParameter } from './ids.ts';
import { allowanceOf, retryAfter } from './limits/plan.ts';
import { namesFor, takeIncludes } from './names.ts';
import { observedCall } from './observe.ts';
import type { GatewayParts } from './parts.ts';
import { perform } from './performed.ts';
import { respond, respondWithError } from './respond.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';
import { upstreamOf } from './upstream/upstream-of.ts';
import { applyView } from './views.ts';

const bodyMax = 256 * 1024;
const urlMax = 8 * 1024;
const timeoutMs = 10_000;

/** Processes one request; responds even if a step fails. */
export async function handle(request: IncomingMessage, response: ServerResponse, parts: GatewayParts): Promise<void> {
  const startedAt = performance.now();
  const exchange = open(request, response, parts);
  try {
    await processRequest(exchange, parts);
  } catch (error) {
    respondWithError(exchange, error, parts);
  }
  finish(exchange, { startedAt, ms: (exchange.streamBegan ?? performance.now()) - startedAt }, parts);
}

async function processRequest(exchange: Exchange, parts: GatewayParts): Promise<void> {
  const { request, path } = exchange;
  const problem = (request.url as string).length > urlMax ? new GatewayError('uri_too_long') : unservable(request);
  if (problem) {
    await limit(exchange, parts);
    throw problem;
  }
  // The API is the same on every host.
  const tenantHost = path.startsWith('/v1/') ? undefined : parts.tenantHost(request.headers.host);
  exchange.tenantHost = tenantHost;
  const page = parts.pages.find(path, tenantHost);
  if (page) {
    await limit(exchange, parts);
    return page.serve(exchange);
  }
  const match = parts.match(request.method as string, path, tenantHost);
  if (match && 'allowed' in match) return wrongMethod(exchange, match.allowed, parts);
  if (!match) {
    await limit(exchange, parts);
    throw new GatewayError('not_found');
  }
  const { route, values } = match;
  exchange.route = route;
  Object.assign(exchange.headers, route.headers);
  if (route.row.forAnyOrigin) parts.cors.addAny(exchange.headers);
  checkOrigin(exchange, route, parts);
  exchange.auth = await authenticated(exchange, route, parts);
  await limit(exchange, parts);
  checkPermission(exchange.auth, route);
  const caller = await callerOf(exchange, parts);
  const upstreamPath = decodePath(route, values, caller.tenantId, parts.ids);
  const signedHeaders = () => signed(exchange, caller, upstreamPath, parts);
  if (route.row.rawBody?.streamed) checkStreamedBody(request, route.row.bodyMax ?? bodyMax);
  if (route.streams === 'live')
    return parts.streams.live({ exchange, path: upstreamPath, signed: signedHeaders() }, parts, () =>
      checkAgain(exchange, route, caller, parts),
    );
  if (route.streams === 'download')
    return parts.streams.download({ exchange, path: upstreamPath, signed: signedHeaders() }, parts);
  const upstreamResponse =
    route.streams === 'upload'
      ? await parts.streams.upload({ exchange, path: upstreamPath, signed: signedHeaders() }, parts)
      : route.row.performs
        ? await perform({ exchange, route, values, caller }, parts, (performer) =>
            forward(exchange, route, performer, upstreamPath, parts),
          )
        : await forward(exchange, route, caller, upstreamPath, parts);
  const { include } = exchange;
  const { status, body } = upstreamResponse;
  const names = include && status === 200 ? await namesFor({ exchange, caller, include, body }, parts) : undefined;
  await respond(exchange, { route, upstreamResponse, tenantId: caller.tenantId, names }, parts);
}

function open(request: IncomingMessage, response: ServerResponse, parts: GatewayParts): Exchange {
  const url = request.url as string;
  const cut = url.indexOf('?');
  const requestId = requestIdOf(request);
  const headers: Record<string, string> = { 'X-Request-Id': requestId };
  parts.cors.add(request, headers);
  return {
    request,
    response,
    requestId,
    headers,
    path: cut < 0 ? url : url.slice(0, cut),
    search: cut < 0 ? '' : url.slice(cut),
    ip: parts.clientIp(request),
    trace: startTrace(requestId, request.headers.traceparent as string | undefined, {
      name: request.method as string,
      kind: 'server',
    }),
  };
}

/** Authenticates the caller. A rejected request counts against its address; failed credentials have a separate limit. */
async function authenticated(
  exchange: Exchange,
  route: Route,
  parts: GatewayParts,
): Promise<Authenticated | undefined> {
  try {
    return await parts.authenticator.authenticate(exchange.request, route, exchange.ip);
  } catch (error) {
    const isClientError = error instanceof GatewayError && error.status < 500;
    if (isClientError && !('RateLimit-Limit' in error.headers)) await limit(exchange, parts);
    throw error;
  }
}

/** Counts the call against the tenant's plan or, without credentials, against the caller's address. */
async function limit(exchange: Exchange, parts: GatewayParts): Promise<void> {
  const { auth } = exchange;
  const address = countedAddress(exchange.ip);
  const isShared = exchange.route?.row.fromSharedAddresses === true;
  const allowance = isShared
    ? allowanceOf(auth, `shared:${address}`, parts.shared)
    : allowanceOf(auth, address, parts.anonymous);
  const verdict = await parts.limiter.take(allowance);
  limitHeaders(verdict, auth?.by === 'key', allowance.quota?.limit, exchange.headers);
  if (!verdict.allowed)
    throw new GatewayError(verdict.reason ?? 'rate_limited', {
      retryAfter: retryAfter(verdict.reason, verdict.resetIn),
    });
  exchange.allowance = allowance;
  exchange.usage = verdict.usage;
}

/**
 * Rejects writes with cookies from pages of other origins (CSRF, also of a sign-in). SameSite stops other sites; this
 * stops other hosts of the same site too. Programs send no Origin.
 */
function checkOrigin({ request }: Exchange, { row }: Route, { cors }: GatewayParts): void {
  if (!row.cookies || row.method === 'GET' || cors.mayUseCookies(request)) return;
  throw new GatewayError('forbidden', {
    errors: [{ field: 'Origin', message: 'Must be the origin of the API (PUBLIC_URL), or one listed in CORS_ORIGINS' }],
  });
}

/** Upstream request headers. Only If-Match, Idempotency-Key and declared cookies are passed on from the client. */
function signed(
  { request, requestId, trace, route }: Exchange,
  caller: Caller,
  path: string,
  { signer }: GatewayParts,
): Record<string, string> {
  const { 'if-match': ifMatch, 'idempotency-key': idempotencyKey } = request.headers;
  const declared = Object.keys(route?.row.cookies ?? {});
  const cookie = declared.length ? cookieHeader(readCookies(request.headers.cookie, declared)) : undefined;
  const method = request.method === 'HEAD' ? 'GET' : (request.method as string);
  return {
    [callerHeader]: signer.sign(caller, method, path),
    'x-request-id': requestId,
    traceparent: traceparentOf(trace),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': String(idempotencyKey) }),
    ...(cookie !== undefined && { cookie }),
    ...(route?.row.rawBody && headersOfRaw(request, route.row.rawBody)),
  };
}

async function forward(
  exchange: Exchange,
  route: Route,
  caller: Caller,
  path: string,
  parts: GatewayParts,
): Promise<LinkResponse> {
  const { request, search } = exchange;
  const { row } = route;
  const repeated = search.length > 1 ? repeatedParameter(search) : undefined;
  if (repeated) throw new GatewayError('validation_failed', { errors: [repeated] });
  const { search: whole, include } = takeIncludes(route, await applyView(route, search, caller, parts));
  exchange.include = include;
  const query = decodeQuery(route, whole, caller.tenantId, parts.ids);
  // The body is ignored if the operation accepts none: Node discards it with the request.
  const isRead = row.body && !(row.ignoresOtherMedia && hasOtherMedia(request));
  const body = row.rawBody
    ? await readBody(request, row.bodyMax ?? bodyMax, { anyMedia: true })
    : isRead
      ? await jsonBody(exchange, route, caller.tenantId, parts)
      : undefined;
  const headers = signed(exchange, caller, path, parts);
  if (!row.rawBody && body?.length) headers['content-type'] = 'application/json';
  const upstream = upstreamOf(route, path, parts);
  const observed = { seconds: parts.upstreamSeconds, headers };
  return observedCall(exchange, route, observed, () =>
    upstream.send({
      method: row.method,
      path: path + query,
      headers,
      body,
      timeoutMs: row.timeoutMs ?? timeoutMs,
      tenantId: caller.tenantId,
      repeatable: isRepeatable(row, request),
    }),
  );
}

/** The headers of a body that is passed on as it was sent. */
function headersOfRaw({ headers }: IncomingMessage, declared: NonNullable<Operation['rawBody']>) {
  const names = ['content-type', ...Object.keys(declared.headers).map((name) => name.toLowerCase())];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/** Whether the request is idempotent, so that it may be retried. */
function isRepeatable(row: Operation, { headers }: IncomingMessage): boolean {
  return row.method === 'GET' || (takesIdempotencyKey(row) && headers['idempotency-key'] !== undefined);
}

async function jsonBody(
  exchange: Exchange,
  route: Route,
  tenantId: number | undefined,
  { ids }: GatewayParts,
): Promise<Buffer | string | undefined> {
  const bytes = await readBody(exchange.request, route.row.bodyMax ?? bodyMax);
  if (!bytes.length) return undefined;
  const parsed = readJson(bytes);
  exchange.received = bytes;
  if (!route.bodyIds) return bytes;
  decodeBody(route, parsed, tenantId, ids);
  return JSON.stringify(parsed);
}

async function wrongMethod(exchange: Exchange, methods: string[], parts: GatewayParts): Promise<void> {
  if (exchange.request.method !== 'OPTIONS') {
    await limit(exchange, parts);
    throw new GatewayError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
  }
  const { response, request, headers } = exchange;
  response.writeHead(204, { ...headers, ...parts.cors.preflight(request, methods) }).end();
}
