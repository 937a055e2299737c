import { type Caller, callerHeader } from '@tandem/caller';
import { isPerformable, PerformedCall } from '@tandem/contract';
import { traceparentOf } from '@tandem/process';
import type { z } from 'zod';
import { checkPermission } from './access/check-permission.ts';
import { refusalCode } from './access/refusals.ts';
import type { Exchange } from './exchange.ts';
import { GatewayError } from './http/gateway-error.ts';
import { decodeBody, decodePath } from './ids.ts';
import { observedCall } from './observe.ts';
import type { GatewayParts } from './parts.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';
import type { Upstream } from './upstream/upstream.ts';

type Call = NonNullable<z.output<typeof PerformedCall>['call']>;
type Performed = NonNullable<Caller['performed']>;

interface Request {
  exchange: Exchange;
  route: Route;
  /** The values of the path parameters. */
  values: string[];
  caller: Caller;
}

const readMs = 3_000;
const timeoutMs = 10_000;

/**
 * Processes a request whose row declares `performs`: asks the service which call to make, makes it as the caller, and
 * forwards the request with its result. Nothing is stored before the call, so the request can be repeated after a crash
 * between the steps: the service derives the Idempotency-Key from the record, so a repeated call has no second effect.
 * @param forward sends the request itself, with the caller that has the result
 * @returns the response of the first step if it rejects the request, else the response to the request
 */
export async function perform(
  request: Request,
  parts: GatewayParts,
  forward: (caller: Caller) => Promise<LinkResponse>,
): Promise<LinkResponse> {
  const named = await readCall(request, parts);
  if (named.status !== 200) return named;
  const parsed = PerformedCall.safeParse((JSON.parse(named.body.toString()) as { data?: unknown }).data);
  if (!parsed.success) throw new GatewayError('bad_gateway');
  const { call } = parsed.data;
  if (!call) return forward(request.caller);
  return forward({ ...request.caller, performed: await resultOf(request, call, parts) });
}

/** Asks the service of the request for the call to make. */
function readCall(
  { exchange, route, values, caller }: Request,
  { upstreams, signer, ids }: GatewayParts,
): Promise<LinkResponse> {
  const row = { ...route.row, path: route.row.performs as string };
  const path = decodePath({ ...route, row }, values, caller.tenantId, ids);
  const as: Caller = { ...caller, type: 'system', name: 'gateway' };
  const ifMatch = exchange.request.headers['if-match'];
  return (upstreams.get(route.service) as Upstream).send({
    method: 'GET',
    path,
    headers: { ...contextHeaders(exchange, signer.sign(as, 'GET', path)), ...(ifMatch && { 'if-match': ifMatch }) },
    body: undefined,
    timeoutMs: readMs,
    tenantId: caller.tenantId,
    repeatable: true,
  });
}

/** Makes the call and returns its status, also if the gateway refuses it or the service fails. */
async function resultOf(request: Request, call: Call, parts: GatewayParts): Promise<Performed> {
  try {
    const { status, body } = await send(request, call, parts);
    const code = status < 400 ? undefined : refusalCode(body);
    return { status, ...(code !== undefined && { code }) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { status: error.status, code: error.code };
  }
}

async function send({ exchange, caller }: Request, call: Call, parts: GatewayParts): Promise<LinkResponse> {
  const match = parts.match('POST', call.path);
  if (!match || 'allowed' in match || !isPerformable(match.route.row)) throw new GatewayError('not_found');
  const { route, values } = match;
  const { row } = route;
  const startedAt = performance.now();
  const log = (status: number, code?: string) => {
    // The audit log records refused calls of clients and of buttons.
    if (status === 403) parts.refusals.add({ ...exchange, route, ...(code !== undefined && { code }) });
    parts.log.request({
      requestId: exchange.requestId,
      traceId: exchange.trace.traceId,
      operation: row.id,
      method: row.method,
      path: call.path,
      status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ip: exchange.ip,
      tenantId: caller.tenantId,
      keyId: caller.keyId,
      userId: caller.userId,
      code,
    });
  };
  try {
    checkPermission(exchange.auth, route);
    const path = decodePath(route, values, caller.tenantId, parts.ids);
    decodeBody(route, call.body, caller.tenantId, parts.ids);
    const headers: Record<string, string> = {
      ...contextHeaders(exchange, parts.signer.sign({ ...caller, environment: call.environment }, row.method, path)),
      'idempotency-key': call.idempotencyKey,
      ...(row.body && { 'content-type': 'application/json' }),
    };
    const response = await observedCall(exchange, route, { seconds: parts.upstreamSeconds, headers }, () =>
      (parts.upstreams.get(route.service) as Upstream).send({
        method: row.method,
        path,
        headers,
        body: row.body && JSON.stringify(call.body),
        timeoutMs: row.timeoutMs ?? timeoutMs,
        tenantId: caller.tenantId,
        repeatable: true,
      }),
    );
    log(response.status, response.status < 400 ? undefined : refusalCode(response.body));
    return response;
  } catch (error) {
    if (error instanceof GatewayError) log(error.status, error.code);
    throw error;
  }
}

function contextHeaders({ requestId, trace }: Exchange, signed: string): Record<string, string> {
  return { [callerHeader]: signed, 'x-request-id': requestId, traceparent: traceparentOf(trace) };
}
