import { type Operation, setCookieHeader, takesIdempotencyKey } from '@tandem/contract';
import type { Outgoing } from '@tandem/events';
import type { Log } from '@tandem/process';
import type { AnyContext, AnyHandler } from './any-handler.ts';
import { ApiError, fail } from './api-error.ts';
import { toErrorResponse } from './error-response.ts';
import { checkIfMatch } from './etag.ts';
import type { Under } from './handler.ts';
import { type IdempotentRun, idempotent } from './idempotency.ts';
import { listPage } from './list.ts';
import type { Parts } from './parts.ts';
import { reachOf } from './reach.ts';
import type { ReadRequest } from './read-request.ts';
import { encodeError, encodeResult, type ServiceResponse } from './response.ts';
import { readState } from './tenant-life.ts';

/** One request to one operation. */
interface Run {
  row: Operation;
  handler: AnyHandler;
  request: ReadRequest;
  parts: Parts;
  extras: ResponseExtras;
}

/** The parts of a response that a handler sets besides its return value. */
interface ResponseExtras {
  after: (() => void | Promise<void>)[];
  headers: Record<string, string | string[]>;
  /** Overrides the status of the row. */
  status?: number;
  /** Overrides the message of the row. */
  message?: string;
  /** The tenant that a public operation entered. */
  tenantId?: number;
}

/** Begins the use of an Idempotency-Key, inside a transaction. */
type Begin = () => Promise<IdempotentRun>;

/**
 * Runs one operation: calls other systems, opens the transaction of a write, runs the handler, writes its events,
 * encodes the response and commits. The response is sent only after the commit.
 * @param received the result of receiving the file of a form
 */
export async function runOperation(
  row: Operation,
  handler: AnyHandler,
  request: ReadRequest,
  parts: Parts,
  received?: unknown,
): Promise<ServiceResponse> {
  const leave = await handler.share?.({ caller: request.caller });
  try {
    return await runShared(row, handler, request, parts, received);
  } finally {
    leave?.();
  }
}

async function runShared(
  row: Operation,
  handler: AnyHandler,
  request: ReadRequest,
  parts: Parts,
  received: unknown,
): Promise<ServiceResponse> {
  const { caller, scope } = request;
  const run: Run = { row, handler, request, parts, extras: { after: [], headers: {} } };
  if (scope) await parts.firstUse?.(scope);
  const begin = beginIdempotency(run);
  const earlier = begin && (await findEarlier(run, begin));
  if (earlier) return earlier;
  const found = handler.check ? await runCheck(run, handler.check) : received;
  const outgoing = parts.outgoing(caller, scope);
  const work = () => runHandler(run, outgoing, found);
  const response = begin ? await runOnce(run, begin, work, outgoing) : await runInScope(run, work, outgoing);
  outgoing.committed();
  for (const then of run.extras.after) await runAfterCommit(then, parts.log);
  return response;
}

/** Undefined without an Idempotency-Key, or when the operation does not accept one. */
function beginIdempotency({ row, request, parts }: Run): Begin | undefined {
  const { scope, params, query, body, invalidItems, caller, file, idempotencyKey: key } = request;
  if (key === undefined || !takesIdempotencyKey(row) || !(scope || row.audience === 'public')) return undefined;
  return () =>
    idempotent({
      sql: parts.db.tx.sql,
      seal: parts.seal,
      operation: row.id,
      key,
      isPublic: !scope,
      owner: caller.portalUserId === undefined ? undefined : `portal ${caller.portalUserId}`,
      request: {
        params,
        query,
        body,
        // Absent in the requests of all other operations, so that their keys match those of earlier releases.
        ...(invalidItems.length > 0 && { invalidItems }),
        file,
        by: caller.userId,
        portalUser: caller.portalUserId,
        as: caller.onBehalfOf,
        can: caller.permissions,
      },
    });
}

/** Looks for an earlier response before `check`: its calls may have side effects, or another outcome by now. */
async function findEarlier({ handler, request, parts }: Run, begin: Begin): Promise<ServiceResponse | undefined> {
  if (!handler.check) return undefined;
  const { earlier } = await parts.db.transaction(request.scope, begin);
  return earlier;
}

function runCheck(run: Run, check: NonNullable<AnyHandler['check']>): Promise<unknown> {
  const { scope, caller, params, query, body } = run.request;
  const { db } = run.parts;
  return db.within(scope, () =>
    check({
      params,
      query,
      body,
      caller,
      tx: db.tx,
      under: underOf(run),
      inTenant: tenantEntry(run),
      ifMatch: matcherOf(run),
    }),
  );
}

function underOf({ request: { scope, caller }, parts: { db } }: Run): Under {
  return (permission, work) => {
    const reach = reachOf(caller, permission);
    if (!scope || reach === 'none') throw fail('forbidden');
    const { tenantId, environment } = scope;
    return db.within({ tenantId, environment, ...(reach !== 'all' && { narrow: reach }) }, work);
  };
}

function matcherOf({ request }: Run): AnyContext['ifMatch'] {
  return ({ version }) => {
    if (request.ifMatch !== undefined) checkIfMatch(request.ifMatch, version);
  };
}

/** Runs the handler and encodes its result. An error that keeps its writes is a response: the transaction commits. */
async function runHandler(run: Run, outgoing: Outgoing, found: unknown): Promise<ServiceResponse> {
  const { row, handler, request, parts, extras } = run;
  let result: unknown;
  try {
    result = await handler.run(contextOf(run, outgoing, found));
  } catch (error) {
    if (!(error instanceof ApiError && error.keepsWrites)) throw error;
    return encodeError(toErrorResponse(error, row, parts.log), request.caller.requestId);
  }
  const shown = extras.message === undefined ? row : { ...row, message: extras.message };
  const response = await encodeResult(shown, result, {
    requestId: request.caller.requestId,
    status: extras.status,
    warnings: request.warnings,
    digest: parts.seal.digest,
  });
  const { headers, tenantId } = extras;
  return { ...response, headers, ...(tenantId !== undefined && { tenantId }) };
}

function contextOf(run: Run, { emit, schedule }: Outgoing, found: unknown): AnyContext {
  const { row, request, parts, extras } = run;
  const { caller, isHead, params, query, body, invalidItems } = request;
  const { db, cursors, totals } = parts;
  return {
    params,
    query,
    body,
    invalidItems,
    found,
    caller,
    isHead,
    tx: db.tx,
    under: underOf(run),
    emit,
    schedule,
    inTenant: tenantEntry(run),
    ifMatch: matcherOf(run),
    afterCommit: (work) => void extras.after.push(work),
    wasThere() {
      if (!row.mayExist) throw new Error(`${row.id} does not declare mayExist`);
      extras.status = 200;
    },
    redirect(location) {
      if (!row.mayRedirect) throw new Error(`${row.id} does not declare mayRedirect`);
      extras.status = 302;
      extras.headers['Location'] = location;
    },
    missing: (field, message) => void request.warnings.push({ code: 'part_missing', field, message }),
    message(text) {
      extras.message = text;
    },
    header(name: string, value) {
      extras.headers[name] = value;
    },
    cookies: request.cookies,
    setCookie(name: string, value, attributes) {
      const cookies = (extras.headers['Set-Cookie'] ?? []) as string[];
      extras.headers['Set-Cookie'] = [...cookies, setCookieHeader(name, value, attributes)];
    },
    list: (options) =>
      listPage({
        ...options,
        name: row.id,
        // The row of a list declares `listQuery`, which parsed this.
        query: query as Parameters<typeof listPage>[0]['query'],
        caller,
        narrow: request.scope?.narrow,
        cursors,
        totals,
      }),
  };
}

/**
 * Lets a public or internal operation work within a tenant that it looks up itself. For the public, the pages and links of
 * a tenant that is not active do not exist.
 */
function tenantEntry({ row, request, parts, extras }: Run): AnyContext['inTenant'] {
  return ({ tenantId, environment, actor }, work) => {
    if (request.scope) throw new Error(`${row.id} already runs in a tenant scope`);
    const scope = { tenantId, environment };
    const { emit, schedule, written, committed } = parts.outgoing({ ...request.caller, ...actor, ...scope }, scope);
    extras.tenantId = tenantId;
    extras.after.push(committed);
    const { tx } = parts.db;
    const workOfActive = async () => {
      if (row.audience === 'public' && !row.whileSuspended && (await readState(tx)).state !== 'active')
        throw fail('not_found');
      return work({ tx, emit, schedule });
    };
    return parts.db.transaction(scope, workOfActive, written);
  };
}

function runInScope(
  { row, request, parts }: Run,
  work: () => Promise<ServiceResponse>,
  { written }: Outgoing,
): Promise<ServiceResponse> {
  const { scope } = request;
  // A GET with events records who read something.
  if (!scope || (row.method === 'GET' && !row.emits)) return parts.db.within(scope, work);
  return parts.db.transaction(scope, work, written);
}

/**
 * Runs a POST with an Idempotency-Key and stores the first response, whether success or error. Only the same caller
 * with the same permissions can replay it, because it may contain a key or secret. A public operation runs in one
 * transaction then, including the tenants it enters.
 */
async function runOnce(
  { row, request, parts }: Run,
  begin: Begin,
  work: () => Promise<ServiceResponse>,
  { written }: Outgoing,
): Promise<ServiceResponse> {
  const { db, log } = parts;
  const { scope, caller } = request;
  try {
    const workOnce = async () => {
      const { earlier, keep } = await begin();
      if (earlier) return earlier;
      const response = await work();
      await keep(response);
      return response;
    };
    return await db.transaction(scope, workOnce, written);
  } catch (error) {
    // Errors of the handler are stored; errors of the key itself are not.
    if (!(error instanceof ApiError) || error.code.startsWith('idempotency_')) throw error;
    const errorResponse = toErrorResponse(error, row, log);
    // A response that asks the client to retry must not be replayed.
    if (errorResponse.status >= 500 || errorResponse.status === 429) throw error;
    const response = encodeError(errorResponse, caller.requestId);
    return db.transaction(scope, async () => {
      const { earlier, keep } = await begin();
      if (!earlier) await keep(response);
      return earlier ?? response;
    });
  }
}

/** Runs work after the commit. Its failure is logged and does not change the response. */
async function runAfterCommit(work: () => void | Promise<void>, log: Log): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error('after-commit work failed', { error });
  }
}
