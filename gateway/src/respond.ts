import { takesIdempotencyKey } from '@tandem/contract';
import { errorPage, wantsErrorPage } from '@tandem/pages';
import { refusalCode } from './access/refusals.ts';
import type { Exchange } from './exchange.ts';
import { compressibleMin } from './http/compress.ts';
import { errorBody, GatewayError } from './http/gateway-error.ts';
import { passOn } from './http/headers.ts';
import { isNotModified } from './http/if-none-match.ts';
import { encodeResponse } from './ids.ts';
import { type Names, withNames } from './names.ts';
import type { GatewayParts } from './parts.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';

/** Sends a service's response with public ids: 304 on a matching If-None-Match, compressed if the client accepts it. */
export async function respond(
  exchange: Exchange,
  {
    route,
    upstreamResponse,
    tenantId: callersTenant,
    names,
  }: { route: Route; upstreamResponse: LinkResponse; tenantId: number | undefined; names: Names | undefined },
  parts: GatewayParts,
): Promise<void> {
  const { request, headers } = exchange;
  passOn(upstreamResponse.headers, headers);
  // A JSON response sets at most one cookie: `parseHead` keeps one value of a header.
  if (route.row.cookies && upstreamResponse.headers['set-cookie'] !== undefined)
    headers['Set-Cookie'] = String(upstreamResponse.headers['set-cookie']);
  for (const { from, name } of route.ownHeaders) {
    const value = upstreamResponse.headers[from];
    if (typeof value === 'string') headers[name] = value;
  }
  const refusal = upstreamResponse.status === 403 ? refusalCode(upstreamResponse.body) : undefined;
  if (refusal !== undefined) exchange.code = refusal;
  if (upstreamResponse.status === 503) headers['Retry-After'] ??= '1';
  if (
    route.row.method === 'GET' &&
    upstreamResponse.status === 200 &&
    // The ETag does not cover the names, which belong to other records.
    !names &&
    isNotModified(request.headers['if-none-match'], headers.ETag)
  )
    return sendNotModified(exchange);
  // A public operation returns the tenant it acted in.
  const actedIn = upstreamResponse.headers['x-ctx-tenant'];
  const tenantId = callersTenant ?? (actedIn === undefined ? undefined : Number(actedIn));
  const idPaths = upstreamResponse.headers['x-id-paths'];
  const responseIdPaths = typeof idPaths === 'string' ? idPaths : undefined;
  const encoded = encodeResponse(
    route,
    { status: upstreamResponse.status, body: upstreamResponse.body, idPaths: responseIdPaths },
    tenantId,
    parts.ids,
  );
  const body = names ? withNames(encoded.toString(), names) : encoded;
  exchange.sent = body;
  if (body.length < compressibleMin) return send(exchange, upstreamResponse.status, body);
  headers.Vary = headers.Vary ? `Accept-Encoding, ${headers.Vary}` : 'Accept-Encoding';
  const accepted = request.method === 'HEAD' ? undefined : request.headers['accept-encoding'];
  const compressed = await parts.compressor.compress(body, accepted === undefined ? undefined : String(accepted));
  if (compressed.encoding) headers['Content-Encoding'] = compressed.encoding;
  // The client may have disconnected during the compression.
  exchange.response.statusCode = upstreamResponse.status;
  if (!exchange.response.destroyed) send(exchange, upstreamResponse.status, compressed.body);
}

function send(
  { response, request, headers }: Exchange,
  status: number,
  body: Buffer | string,
  type = 'application/json; charset=utf-8',
): void {
  headers['Content-Type'] = type;
  headers['Content-Length'] = String(Buffer.byteLength(body));
  headers['Cache-Control'] = 'no-store';
  headers['X-Content-Type-Options'] = 'nosniff';
  response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
}

function sendNotModified({ response, headers }: Exchange): void {
  headers['Cache-Control'] = 'no-store';
  response.writeHead(304, headers).end();
}

/** Responds with an error in our envelope. Details of unexpected errors go to the log only. */
export function respondWithError(exchange: Exchange, error: unknown, parts: GatewayParts): void {
  const known = error instanceof GatewayError ? error : undefined;
  if (!known) parts.log.error('request failed', { error, requestId: exchange.requestId });
  const apiError = known ?? new GatewayError('internal_error');
  exchange.code = apiError.code;
  const { response } = exchange;
  if (response.headersSent) return void response.destroy();
  // Also set when the client has disconnected: log and metrics read it.
  response.statusCode = apiError.status;
  if (response.destroyed) return;
  Object.assign(exchange.headers, apiError.headers);
  if (apiError.retryAfter !== undefined) exchange.headers['Retry-After'] = String(Math.max(1, apiError.retryAfter));
  if (apiError.hangUp) exchange.headers.Connection = 'close';
  const { status, code, errors } = apiError;
  const shown = { status, code, errors, message: messageOf(apiError, exchange) };
  const isPage = exchange.route && wantsErrorPage(exchange.request, exchange.route.row);
  if (!isPage) {
    exchange.sent = errorBody(shown, exchange.requestId);
    return void send(exchange, status, exchange.sent);
  }
  const page = errorPage(shown, exchange.requestId);
  exchange.headers['Content-Security-Policy'] = page.contentPolicy;
  send(exchange, status, page.body, page.type);
}

/** The message of an error. After a write, it says whether a repetition may run it twice. */
function messageOf({ message, mayHaveRun }: GatewayError, { route, request }: Exchange): string {
  if (!mayHaveRun || !route || route.row.method === 'GET') return message;
  const [what] = message.split(';', 1);
  if (!takesIdempotencyKey(route.row))
    return `${what}; the request may still be carried out: check before you repeat it`;
  return request.headers['idempotency-key'] === undefined
    ? `${what}; the request may still be carried out. With an Idempotency-Key, it can be repeated safely with the same key`
    : `${what}; the request may still be carried out: repeat it with the same Idempotency-Key`;
}
