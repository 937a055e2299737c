import { pipeline, Readable } from 'node:stream';
import { callerHeader } from '@tandem/caller';
import { idPathsVersion, mediaOf, type Operation, type Operations } from '@tandem/contract';
import { errorPage, wantsErrorPage } from '@tandem/pages';
import { endSpan, type SpanEnd, startTrace, type Trace, withTrace } from '@tandem/process';
import express, { type Express, type Request, type Response, type Router } from 'express';
import type { AnyHandler } from './any-handler.ts';
import { ApiError, fail } from './api-error.ts';
import { checkPortalRole } from './check-portal-role.ts';
import { toErrorResponse } from './error-response.ts';
import { readForm } from './forms.ts';
import type { Parts } from './parts.ts';
import { admitCaller, bodyMax, type ReadRequest, readRequest, warningsMax } from './read-request.ts';
import { encodeError, type ServiceResponse } from './response.ts';
import { runOperation } from './run-operation.ts';
import { serveMedia } from './serve-media.ts';

/** Creates the Express app of a service: its operations as routes, plus health and metrics endpoints. */
export function createApp(operations: Operations, handlers: Record<string, AnyHandler>, parts: Parts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('query parser', 'simple');
  const ops = opsPages(parts);
  // A page on a domain of a tenant may have the same path; the gateway signs its requests, those of operators have no caller.
  app.use((request, response, next) =>
    request.get(callerHeader) === undefined ? ops(request, response, next) : next(),
  );
  for (const row of literalFirst(Object.values(operations))) {
    const handler = handlers[row.id] as AnyHandler;
    const method = row.method.toLowerCase() as 'get';
    const idPaths = idPathsVersion(mediaOf(row.reply) ? undefined : row.reply);
    // Skips the parser if the operation has no body; a body that a client sends anyway is dropped with the request.
    const limit = row.bodyMax ?? bodyMax;
    const body = row.body ? [express.json({ limit, strict: false })] : [];
    if (row.rawBody && !row.rawBody.streamed) body.push(express.raw({ limit, type: () => true, inflate: false }));
    app[method](routePath(row.path), ...body, (request: Request, response: Response) =>
      serve({ row, handler, idPaths }, request, response, parts),
    );
  }
  app.use(
    (_request, response) =>
      void send(response, encodeError(toErrorResponse(fail('not_found'), undefined, parts.log), '')),
  );
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    void send(response, encodeError(toErrorResponse(error, undefined, parts.log), request.get('x-request-id') ?? ''));
  });
  return app;
}

/** Health, metrics and topology, for operators. */
function opsPages(parts: Parts): Router {
  const ops = express.Router();
  ops.get(['/healthz', '/readyz'], async (request, response) => {
    const health = await parts.health.check(request.path);
    response
      .status(health?.status ?? 404)
      .type('json')
      .send(health?.body);
  });
  ops.get('/metrics', async (_request, response) => {
    response.type('text/plain').send(await parts.metrics.text());
  });
  // The queues of this release, for `npm run admin -- topology`.
  ops.get('/topology', (_request, response) => {
    response.json({ consumers: parts.declaredConsumers });
  });
  return ops;
}

async function serve(
  { row, handler, idPaths }: { row: Operation; handler: AnyHandler; idPaths: string },
  request: Request,
  response: Response,
  parts: Parts,
) {
  const began = performance.now();
  const requestId = request.get('x-request-id') ?? '';
  const trace = startTrace(requestId, request.get('traceparent'), {
    name: `${row.method} ${row.path}`,
    kind: 'server',
    attributes: { 'http.request.method': row.method, 'http.route': row.path, 'tandem.operation': row.id },
  });
  await withTrace(trace, async () => {
    let serviceResponse: ServiceResponse;
    let who: object = {};
    try {
      const admitted = admitCaller(request, row, parts);
      await checkPortalRole(row, admitted, parts);
      const read = readRequest(request, row, admitted);
      const { tenantId, keyId, userId, type } = read.caller;
      if (type !== 'system') parts.requests.count();
      who = { tenantId, keyId, userId };
      trace.tenantId = tenantId;
      serviceResponse = row.form
        ? await runForm(row, handler, { request, read }, parts)
        : await runOperation(row, handler, read, parts);
    } catch (error) {
      const errorResponse = toErrorResponse(error, row, parts.log);
      serviceResponse = wantsErrorPage(request, row)
        ? { ...encodeError(errorResponse, requestId), body: '', served: errorPage(errorResponse, requestId) }
        : encodeError(errorResponse, requestId);
    }
    await send(response, serviceResponse, { request, idPaths }).catch((error: unknown) => {
      // The content could not be opened, so nothing was sent.
      serviceResponse = encodeError(toErrorResponse(error, row, parts.log), requestId);
      return send(response, serviceResponse);
    });
    const ms = performance.now() - began;
    parts.metrics.request(row.id, serviceResponse.status, ms / 1_000);
    if (trace.span) endSpan(trace, serverSpanEnd(serviceResponse, trace));
    const took = Math.round(ms * 10) / 10;
    parts.log.request({
      requestId,
      traceId: trace.traceId,
      operation: row.id,
      status: serviceResponse.status,
      ms: took,
      ...who,
    });
  });
}

function serverSpanEnd({ status }: ServiceResponse, { tenantId }: Trace): SpanEnd {
  return {
    attributes: { 'http.response.status_code': status, 'tandem.tenant_id': tenantId },
    error: status >= 500 ? String(status) : undefined,
  };
}

/**
 * Receives the file of a form before the handler runs, and discards it when the request is refused or replayed. After any
 * other error the file stays: a COMMIT whose result is lost may have taken effect, and the record needs its file then. A
 * handler that receives files schedules the removal of those that no record got.
 */
async function runForm(
  row: Operation,
  handler: AnyHandler,
  { request, read }: { request: Request; read: ReadRequest },
  parts: Parts,
): Promise<ServiceResponse> {
  const { admit, receive, discard } = handler;
  if (!receive || !discard) throw new Error(`${row.id} has a form, but its handler does not receive a file`);
  const { caller, scope, params } = read;
  if (admit) await parts.db.within(scope, () => admit({ params, caller, tx: parts.db.tx }));
  const { schedule, committed } = parts.outgoing(caller, scope);
  const { fields, received, sentAs, warnings } = await readForm(request, row, {
    receive: (file) => parts.db.within(scope, () => receive(file, { caller, tx: parts.db.tx, schedule })),
    discard,
  });
  committed();
  const file = { ...sentAs, checksum: received.checksum };
  const form = { body: fields, file, warnings: [...read.warnings, ...warnings].slice(0, warningsMax) };
  try {
    const serviceResponse = await runOperation(row, handler, { ...read, ...form }, parts, received);
    if (serviceResponse.replayed || serviceResponse.status >= 400) await discard(received);
    return serviceResponse;
  } catch (error) {
    if (error instanceof ApiError) await discard(received);
    throw error;
  }
}

interface SendOptions {
  request?: Request;
  /** Version of the id positions of the reply, for a gateway of another release. */
  idPaths?: string;
}

async function send(
  response: Response,
  serviceResponse: ServiceResponse,
  { request, idPaths }: SendOptions = {},
): Promise<void> {
  const { served } = serviceResponse;
  const isTemporary = serviceResponse.status === 429 || serviceResponse.status === 503;
  const retryAfter = serviceResponse.retryAfter ?? (isTemporary ? 1 : undefined);
  if (served) {
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    await serveMedia(response, serviceResponse, served, request);
    return;
  }
  const headers: Record<string, string | string[] | number> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(serviceResponse.body),
    ...serviceResponse.headers,
  };
  if (idPaths !== undefined && serviceResponse.status < 400) headers['x-id-paths'] = idPaths;
  if (serviceResponse.etag) headers['ETag'] = serviceResponse.etag;
  if (serviceResponse.tenantId !== undefined) headers['x-ctx-tenant'] = serviceResponse.tenantId;
  if (serviceResponse.replayed) headers['Idempotent-Replayed'] = 'true';
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  // Express's `send` would also compute an ETag and evaluate freshness, which the gateway does not need.
  response.writeHead(serviceResponse.status, headers);
  if (serviceResponse.body.length <= chunkCharacters) response.end(serviceResponse.body);
  // A large page may have megabytes, which would take long to encode and send in one event loop iteration.
  else pipeline(Readable.from(chunksOf(serviceResponse.body)), response, () => {});
}

const chunkCharacters = 256 * 1024;

function* chunksOf(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    const end = at + chunkCharacters;
    // Keeps a surrogate pair together, because it is one character in UTF-8.
    const isPairCut = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
    yield Buffer.from(text.slice(at, isPairCut ? end + 1 : end));
    at = isPairCut ? end + 1 : end;
  }
}

/** Orders routes so that literal segments win: `/leads/duplicates` is matched before `/leads/:id`. */
function literalFirst(rows: Operation[]): Operation[] {
  const rank = (row: Operation) =>
    row.path
      .split('/')
      .map((segment) => (/^[:*]/.test(segment) ? '~' : segment))
      .join('/');
  return [...rows].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/**
 * Escapes colons inside a segment: Express reads every colon as a parameter, our paths only at the start of a segment. The
 * rest of a path arrives as one segment, because the gateway and clients encode its slashes.
 */
function routePath(path: string): string {
  return path.replace(/([^/]):/g, '$1\\:').replace('/*', '/:');
}
