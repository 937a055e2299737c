import { pipeline, Readable } from 'node:stream';
import { idPathsVersion, mediaOf, type Operation, type Operations, type Served } from '@tandem/contract';
import { endSpan, type SpanEnd, startTrace, type Trace, withTrace } from '@tandem/process';
import express, { type Express, type Request, type Response } from 'express';
import { fail } from './api-error.ts';
import { errorPage, wantsErrorPage } from './error-page.ts';
import { errorReply } from './error-reply.ts';
import { readForm } from './forms.ts';
import type { FormHandler, Handler } from './handler.ts';
import type { Parts } from './parts.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { type Answer, errorAnswer } from './reply.ts';
import { runOperation } from './run-operation.ts';

const bodyMax = 256 * 1024;

/** The HTTP side of a service: its operations as routes, and health and metrics for those who run it. */
export function createApp(
  operations: Operations,
  handlers: Record<string, Handler<Operation, unknown>>,
  parts: Parts,
): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('query parser', 'simple');
  app.get(['/healthz', '/readyz'], async (request, response) => {
    const answer = await parts.health.answer(request.path);
    response
      .status(answer?.status ?? 404)
      .type('json')
      .send(answer?.body);
  });
  app.get('/metrics', async (_request, response) => {
    response.type('text/plain').send(await parts.metrics.text());
  });
  // The queues of this release, for `npm run admin -- topology`.
  app.get('/topology', (_request, response) => {
    response.json({ consumers: parts.declaredConsumers });
  });
  for (const row of literalFirst(Object.values(operations))) {
    const handler = handlers[row.id] as Handler<Operation, unknown>;
    const method = row.method.toLowerCase() as 'get';
    const idPaths = idPathsVersion(mediaOf(row.reply) ? undefined : row.reply);
    // An operation without a body does not read one: what a client sends all the same is dropped with the request.
    const body = row.body ? [express.json({ limit: row.bodyMax ?? bodyMax, strict: false })] : [];
    app[method](routePath(row.path), ...body, (request: Request, response: Response) =>
      serve({ row, handler, idPaths }, request, response, parts),
    );
  }
  app.use((_request, response) => send(response, errorAnswer(errorReply(fail('not_found'), undefined, parts.log), '')));
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    send(response, errorAnswer(errorReply(error, undefined, parts.log), request.get('x-request-id') ?? ''));
  });
  return app;
}

async function serve(
  { row, handler, idPaths }: { row: Operation; handler: Handler<Operation, unknown>; idPaths: string },
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
    let answer: Answer;
    let who: object = {};
    try {
      const read = readRequest(request, row, parts);
      const { tenantId, keyId, userId } = read.caller;
      who = { tenantId, keyId, userId };
      trace.tenantId = tenantId;
      answer = row.form
        ? await runForm(row, handler as never, { request, read }, parts)
        : await runOperation(row, handler, read, parts);
    } catch (error) {
      const reply = errorReply(error, row, parts.log);
      answer = wantsErrorPage(request, row) ? errorPage(reply, requestId) : errorAnswer(reply, requestId);
    }
    send(response, answer, { method: request.method, idPaths });
    const ms = performance.now() - began;
    parts.metrics.request(row.id, answer.status, ms / 1_000);
    if (trace.span) endSpan(trace, serverSpanEnd(answer, trace));
    const took = Math.round(ms * 10) / 10;
    parts.log.request({
      requestId,
      traceId: trace.traceId,
      operation: row.id,
      status: answer.status,
      ms: took,
      ...who,
    });
  });
}

function serverSpanEnd({ status }: Answer, { tenantId }: Trace): SpanEnd {
  return {
    attributes: { 'http.response.status_code': status, 'tandem.tenant_id': tenantId },
    error: status >= 500 ? String(status) : undefined,
  };
}

/** Takes the file of a form first, and takes it back when nothing comes of the request. */
async function runForm(
  row: Operation,
  handler: FormHandler<Operation, unknown, { checksum: string }>,
  { request, read }: { request: Request; read: ReadRequest },
  parts: Parts,
): Promise<Answer> {
  const { caller, scope } = read;
  const { schedule, committed } = parts.outgoing(caller, scope);
  const { fields, received } = await readForm(request, row, {
    receive: (file) => parts.db.within(scope, () => handler.receive(file, { caller, tx: parts.db.tx, schedule })),
    discard: handler.discard,
  });
  committed();
  let answer: Answer | undefined;
  try {
    const { checksum } = received;
    answer = await runOperation(row, handler as never, { ...read, body: fields, checksum }, parts, received);
    return answer;
  } finally {
    if (!answer || answer.replayed || answer.status >= 400) await handler.discard(received);
  }
}

interface SendOptions {
  method?: string;
  /** Version of the id positions of the reply, for a gateway of another release. */
  idPaths?: string;
}

function send(response: Response, answer: Answer, { method = 'GET', idPaths }: SendOptions = {}): void {
  const { served } = answer;
  const retryAfter = answer.retryAfter ?? (answer.status === 503 ? 1 : undefined);
  if (served) {
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    serveMedia(response, answer, served, method);
    return;
  }
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(answer.body),
    ...answer.headers,
  };
  if (idPaths !== undefined && answer.status < 400) headers['x-id-paths'] = idPaths;
  if (answer.etag) headers['ETag'] = answer.etag;
  if (answer.tenantId !== undefined) headers['x-ctx-tenant'] = answer.tenantId;
  if (answer.replayed) headers['Idempotent-Replayed'] = 'true';
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  // `send` of Express also computes an ETag and whether the client's copy is fresh, which the gateway does not ask for.
  response.writeHead(answer.status, headers);
  if (answer.body.length <= chunkCharacters) response.end(answer.body);
  // A page may have megabytes, which take long to encode and send in one turn of the event loop.
  else pipeline(Readable.from(chunksOf(answer.body)), response, () => {});
}

const chunkCharacters = 256 * 1024;

function* chunksOf(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    const end = at + chunkCharacters;
    // A surrogate pair is one character of UTF-8.
    const isPairCut = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
    yield Buffer.from(text.slice(at, isPairCut ? end + 1 : end));
    at = isPairCut ? end + 1 : end;
  }
}

/** A page or file. What a browser may do with it is said with it: nothing, unless the operation allows more. */
function serveMedia(response: Response, { status, headers }: Answer, served: Served, method: string): void {
  const { body, type, length, disposition, location, contentPolicy } = served;
  const size = length ?? (typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Security-Policy': contentPolicy ?? "default-src 'none'; sandbox",
    'Cache-Control': 'private, no-store',
    ...(size !== undefined && { 'Content-Length': size }),
    ...(disposition && { 'Content-Disposition': contentDisposition(disposition) }),
    ...(location !== undefined && { Location: location }),
    ...headers,
  });
  if (method === 'HEAD' || !(body instanceof Readable)) {
    if (body instanceof Readable) body.destroy();
    response.end(method === 'HEAD' ? undefined : body);
    return;
  }
  // A client that goes ends the source with it, and the other way round: half a file must not look like a whole one.
  pipeline(body, response, () => {});
}

/** RFC 6266: a name in ASCII for old clients, and the name itself. */
function contentDisposition({ kind, filename }: NonNullable<Served['disposition']>): string {
  if (filename === undefined) return kind;
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Literal segments win over parameters: `/leads/duplicates` is looked at before `/leads/:id`. */
function literalFirst(rows: Operation[]): Operation[] {
  const rank = (row: Operation) =>
    row.path
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '~' : segment))
      .join('/');
  return [...rows].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Express reads a colon anywhere as a parameter; ours is one only at the start of a segment. */
function routePath(path: string): string {
  return path.replace(/([^/]):/g, '$1\\:');
}
