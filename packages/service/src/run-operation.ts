import { type Operation, takesIdempotencyKey } from '@tandem/contract';
import type { Outgoing } from '@tandem/events';
import type { Log } from '@tandem/process';
import type { Statement } from '@tandem/tenant-db';
import { ApiError, fail } from './api-error.ts';
import { errorReply } from './error-reply.ts';
import { checkIfMatch } from './etag.ts';
import type { Context, Handler, Under } from './handler.ts';
import { type IdempotentRun, idempotent } from './idempotency.ts';
import { listPage } from './list.ts';
import type { Parts } from './parts.ts';
import { reachOf } from './reach.ts';
import type { ReadRequest } from './read-request.ts';
import { type Answer, errorAnswer, reply } from './reply.ts';

type AnyContext = Context<Operation, unknown>;
type AnyHandler = Handler<Operation, unknown>;

/**
 * Runs one operation: calls other systems, opens the transaction of a write, runs the handler, writes its events,
 * encodes the reply and commits. The response is sent only after the commit.
 * @param received the result of receiving the file of a form
 */
export async function runOperation(
  row: Operation,
  handler: AnyHandler,
  request: ReadRequest,
  parts: Parts,
  received?: unknown,
): Promise<Answer> {
  const { caller, scope } = request;
  if (scope) await parts.firstUse?.(scope);
  const responseExtras: ResponseExtras = { after: [], headers: {}, wasThere: false };
  const { check = undefined, run } = typeof handler === 'function' ? { run: handler } : handler;
  const begin = beginIdempotency(row, request, parts);
  const under: Under = (permission, work) => {
    const reach = reachOf(caller, permission);
    if (!scope || reach === 'none') throw fail('forbidden');
    const { tenantId, environment } = scope;
    return parts.db.within({ tenantId, environment, ...(reach !== 'all' && { narrow: reach }) }, work);
  };
  // Looks for an earlier response first: calls to other systems may have side effects, or another outcome by now.
  const { earlier } = check && begin ? await parts.db.transaction(scope, begin) : {};
  if (earlier) return earlier;
  const found = (
    check ? await parts.db.within(scope, () => check({ ...request, tx: parts.db.tx, under } as never)) : received
  ) as undefined;

  const { emit, schedule, written, committed } = parts.outgoing(caller, scope);
  const work = async (): Promise<Answer> => {
    let tenantId: number | undefined;
    const inTenant = tenantEntry(row, request, parts, (enteredId, outgoing) => {
      tenantId = enteredId;
      responseExtras.after.push(outgoing.committed);
    });
    const result = await run({
      ...contextOf(row, request, parts, responseExtras),
      emit,
      schedule,
      inTenant,
      found,
    } as never);
    const answered = responseExtras.message === undefined ? row : { ...row, message: responseExtras.message };
    const answer = await reply(answered, result, {
      requestId: caller.requestId,
      status: responseExtras.wasThere ? 200 : undefined,
      warnings: request.warnings,
      digest: parts.seal.digest,
    });
    return { ...answer, headers: responseExtras.headers, ...(tenantId !== undefined && { tenantId }) };
  };
  const answer = await runInScope(row, request, parts, { work, written, begin });
  committed();
  for (const then of responseExtras.after) await runAfterCommit(then, parts.log);
  return answer;
}

/** What a handler sets besides its return value. */
interface ResponseExtras {
  after: (() => void | Promise<void>)[];
  headers: Record<string, string>;
  wasThere: boolean;
  /** Overrides the message of the row. */
  message?: string;
}

/** The handler's work, and the statement that writes its events at the end. */
interface Effect {
  work: () => Promise<Answer>;
  written: () => Statement | undefined;
  begin: (() => Promise<IdempotentRun>) | undefined;
}

type IdempotentEffect = Effect & { begin: NonNullable<Effect['begin']> };

/**
 * Begins the use of the request's Idempotency-Key; undefined without a key, or when the operation does not accept one.
 */
function beginIdempotency(row: Operation, request: ReadRequest, { db, seal }: Parts): Effect['begin'] {
  const { scope, params, query, body, caller, checksum, idempotencyKey: key } = request;
  if (key === undefined || !takesIdempotencyKey(row) || !(scope || row.audience === 'public')) return undefined;
  return () =>
    idempotent({
      sql: db.tx.sql,
      seal,
      operation: row.id,
      key,
      isPublic: !scope,
      request: {
        params,
        query,
        body,
        checksum,
        by: caller.userId,
        portalUser: caller.portalUserId,
        as: caller.onBehalfOf,
        can: caller.permissions,
      },
    });
}

function runInScope(row: Operation, request: ReadRequest, parts: Parts, effect: Effect): Promise<Answer> {
  const { db } = parts;
  const { work, written, begin } = effect;
  const { scope } = request;
  if (begin) return runIdempotent(row, request, parts, { ...effect, begin });
  if (row.method === 'GET' || !scope) return db.within(scope, work);
  return db.transaction(scope, work, written);
}

/**
 * Runs a POST with an Idempotency-Key and stores the first response, whether success or error. Only the same caller
 * with the same permissions can replay it, because it may contain a key or secret. A public operation runs in one
 * transaction then, including the tenants it enters.
 */
async function runIdempotent(
  row: Operation,
  request: ReadRequest,
  parts: Parts,
  effect: IdempotentEffect,
): Promise<Answer> {
  const { db, log } = parts;
  const { caller } = request;
  const { begin } = effect;
  try {
    const work = async () => {
      const { earlier, keep } = await begin();
      if (earlier) return earlier;
      const answer = await effect.work();
      await keep(answer);
      return answer;
    };
    return await db.transaction(request.scope, work, effect.written);
  } catch (error) {
    // Errors of the handler are stored; errors of the key itself are not.
    if (!(error instanceof ApiError) || error.code.startsWith('idempotency_')) throw error;
    const errorResponse = errorReply(error, row, log);
    // A response that asks the client to retry must not be replayed.
    if (errorResponse.status >= 500 || errorResponse.status === 429) throw error;
    const answer = errorAnswer(errorResponse, caller.requestId);
    return db.transaction(request.scope, async () => {
      const { earlier, keep } = await begin();
      if (!earlier) await keep(answer);
      return earlier ?? answer;
    });
  }
}

function contextOf(
  row: Operation,
  request: ReadRequest,
  parts: Parts,
  responseExtras: ResponseExtras,
): Omit<AnyContext, 'emit' | 'schedule' | 'inTenant'> {
  const { caller, params, query, body } = request;
  const { db, cursors, totals } = parts;
  return {
    ...({ params, query, body } as Pick<AnyContext, 'params' | 'query' | 'body'>),
    caller,
    tx: db.tx,
    ifMatch({ version }) {
      if (request.ifMatch !== undefined) checkIfMatch(request.ifMatch, version);
    },
    afterCommit: (work) => void responseExtras.after.push(work),
    wasThere() {
      if (!row.mayExist) throw new Error(`${row.id} does not declare mayExist`);
      responseExtras.wasThere = true;
    },
    message(text) {
      responseExtras.message = text;
    },
    header(name, value) {
      responseExtras.headers[name] = value;
    },
    list: (options) =>
      listPage({
        ...options,
        name: row.id,
        query: query as never,
        caller,
        narrow: request.scope?.narrow,
        cursors,
        totals,
      }),
  };
}

/** Lets a public or internal operation work within a tenant that it looks up itself. */
function tenantEntry(
  row: Operation,
  { scope: callerScope, caller }: ReadRequest,
  parts: Parts,
  entered: (tenantId: number, outgoing: Outgoing) => void,
): AnyContext['inTenant'] {
  return ({ tenantId, environment, actor }, work) => {
    if (callerScope) throw new Error(`${row.id} already runs in a tenant scope`);
    const scope = { tenantId, environment };
    const outgoing = parts.outgoing({ ...caller, ...actor, ...scope }, scope);
    entered(tenantId, outgoing);
    const { emit, schedule, written } = outgoing;
    return parts.db.transaction(scope, () => work({ tx: parts.db.tx, emit, schedule }), written);
  };
}

/** Runs work after the commit. Its failure is logged and does not change the response. */
async function runAfterCommit(work: () => void | Promise<void>, log: Log): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error('after-commit work failed', { error });
  }
}
