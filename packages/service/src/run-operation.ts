import { type Operation, takesIdempotencyKey } from '@tandem/contract';
import type { Outgoing } from '@tandem/events';
import type { Log } from '@tandem/process';
import type { Statement } from '@tandem/tenant-db';
import { ApiError, fail } from './api-error.ts';
import { errorReply } from './error-reply.ts';
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
 * Runs one operation: asks what must be asked outside, opens the transaction of a write, lets the handler work, writes
 * its events, shapes the reply and commits. Nothing is answered that is not committed.
 * @param received of a form: what became of its file
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
  const said: Said = { after: [], headers: {}, wasThere: false };
  const { check = undefined, run } = typeof handler === 'function' ? { run: handler } : handler;
  const begin = keyUse(row, request, parts);
  const under: Under = (permission, work) => {
    const reach = reachOf(caller, permission);
    if (!scope || reach === 'none') throw fail('forbidden');
    const { tenantId, environment } = scope;
    return parts.db.within({ tenantId, environment, ...(reach !== 'all' && { narrow: reach }) }, work);
  };
  // What is asked outside may have an effect of its own, or another outcome by now.
  const { earlier } = check && begin ? await parts.db.transaction(scope, begin) : {};
  if (earlier) return earlier;
  const found = (
    check ? await parts.db.within(scope, () => check({ ...request, tx: parts.db.tx, under } as never)) : received
  ) as undefined;

  const { emit, schedule, written, committed } = parts.outgoing(caller, scope);
  const work = async (): Promise<Answer> => {
    let tenantId: number | undefined;
    const inTenant = tenantEntry(row, request, parts, (entered, leaves) => {
      tenantId = entered;
      said.after.push(leaves.committed);
    });
    const result = await run({ ...contextOf(row, request, parts, said), emit, schedule, inTenant, found } as never);
    const answered = said.message === undefined ? row : { ...row, message: said.message };
    const answer = await reply(answered, result, {
      requestId: caller.requestId,
      status: said.wasThere ? 200 : undefined,
      warnings: request.warnings,
    });
    return { ...answer, headers: said.headers, ...(tenantId !== undefined && { tenantId }) };
  };
  const answer = await inOne(row, request, parts, { work, written, begin });
  committed();
  for (const then of said.after) await settled(then, parts.log);
  return answer;
}

/** What a handler says besides what it returns. */
interface Said {
  after: (() => void | Promise<void>)[];
  headers: Record<string, string>;
  wasThere: boolean;
  /** Instead of the row's. */
  message?: string;
}

/** The handler's work, and the statement that writes its events at the end. */
interface Effect {
  work: () => Promise<Answer>;
  written: () => Statement | undefined;
  begin: (() => Promise<IdempotentRun>) | undefined;
}

type Kept = Effect & { begin: NonNullable<Effect['begin']> };

/** Begins the use of the request's Idempotency-Key; undefined when it has none or the operation takes none. */
function keyUse(row: Operation, request: ReadRequest, { db, seal }: Parts): Effect['begin'] {
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
        ...{ params, query, body, checksum, by: caller.userId, portalUser: caller.portalUserId },
        ...{ as: caller.onBehalfOf, can: caller.permissions },
      },
    });
}

function inOne(row: Operation, request: ReadRequest, parts: Parts, effect: Effect): Promise<Answer> {
  const { db } = parts;
  const { work, written, begin } = effect;
  const { scope } = request;
  if (begin) return once(row, request, parts, { ...effect, begin });
  if (row.method === 'GET' || !scope) return db.within(scope, work);
  return db.transaction(scope, work, written);
}

/**
 * A POST with an Idempotency-Key: the first answer is kept, whether it succeeded or refused. It is for whoever asked: it
 * may hold a key or secret that somebody else, or a credential that may do less, must not see. A public operation runs in
 * one transaction then, the tenants it enters included.
 */
async function once(row: Operation, request: ReadRequest, parts: Parts, effect: Kept): Promise<Answer> {
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
    // Refusals of the handler are answers too; those of the key itself are not.
    if (!(error instanceof ApiError) || error.code.startsWith('idempotency_')) throw error;
    const errorResponse = errorReply(error, row, log);
    // "Try again later" must not be the answer to the next try.
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
  said: Said,
): Omit<AnyContext, 'emit' | 'schedule' | 'inTenant'> {
  const { caller, params, query, body } = request;
  const { db, cursors } = parts;
  return {
    ...({ params, query, body } as Pick<AnyContext, 'params' | 'query' | 'body'>),
    caller,
    tx: db.tx,
    ifMatch({ version }) {
      if (request.ifMatch !== undefined && !matches(request.ifMatch, version)) throw fail('stale_version');
    },
    afterCommit: (work) => void said.after.push(work),
    wasThere() {
      if (!row.mayExist) throw new Error(`${row.id} does not say that what it creates may exist`);
      said.wasThere = true;
    },
    message(text) {
      said.message = text;
    },
    header(name, value) {
      said.headers[name] = value;
    },
    list: (options) =>
      listPage({ ...options, name: row.id, query: query as never, caller, narrow: request.scope?.narrow, cursors }),
  };
}

/** Lets a public or internal operation work within a tenant of its own finding. */
function tenantEntry(
  row: Operation,
  { scope: given, caller }: ReadRequest,
  parts: Parts,
  entered: (tenantId: number, leaves: Outgoing) => void,
): AnyContext['inTenant'] {
  return ({ tenantId, environment, actor }, work) => {
    if (given) throw new Error(`${row.id} already works within a tenant`);
    const scope = { tenantId, environment };
    const leaves = parts.outgoing({ ...caller, ...actor, ...scope }, scope);
    entered(tenantId, leaves);
    const { emit, schedule, written } = leaves;
    return parts.db.transaction(scope, () => work({ tx: parts.db.tx, emit, schedule }), written);
  };
}

/** `"3"`, `W/"3"`, a list of those, or `*`. */
function matches(header: string, version: number): boolean {
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === `"${version}"`);
}

/** The answer stands; what comes after it may fail without taking it back. */
async function settled(work: () => void | Promise<void>, log: Log): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error('work after the commit failed', { error });
  }
}
