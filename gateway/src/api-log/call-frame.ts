import type { Exchange } from '../exchange.ts';
import type { Route } from '../routes.ts';
import { loggedRequest, loggedResponse } from './bodies.ts';

const queryMax = 1_024;

/**
 * The frame of a finished call with known credentials: a line with the values of a `ReportedCall` in the order of its fields, and
 * the bodies (`readApiCalls`). It is assembled as text, because JSON.stringify of an object takes several times as long, and is
 * one text, because each write into a buffer has a fixed cost.
 * @param call.path the path without secrets
 */
export function frameOf(
  exchange: Exchange,
  call: { at: number; sequence: number; durationMs: number; path: string },
): string | undefined {
  const { auth, route, request, response, requestId, ip, actingId, search } = exchange;
  if (!auth || !route) return undefined;
  const method = request.method as string;
  const status = response.statusCode;
  const isHead = method === 'HEAD';
  const sent = isHead ? undefined : exchange.sent;
  const { received } = exchange;
  const requestText = received ? loggedRequest(received, route.secrets.request) : null;
  const responseText = sent === undefined ? null : loggedResponse(sent, status < 400 ? route.secrets.response : []);
  const code = exchange.code ?? (status >= 400 && sent !== undefined ? errorCode(sent) : undefined);
  const { tenantId, keyId, userId } = auth.who;
  return (
    `[${tenantId},"${auth.environment}",${Math.floor(call.at)},${call.sequence},"${requestId}","${method}",` +
    `${JSON.stringify(call.path)},${route.pathText},${search.length > 1 ? queryText(route, search) : null},${status},` +
    `${Math.round(call.durationMs)},${JSON.stringify(ip)},${keyId},${actingId ?? userId},` +
    `${code === undefined ? null : JSON.stringify(code)},${part(requestText, received)},${part(responseText, sent)}]\n` +
    `${requestText ?? ''}${responseText ?? ''}`
  );
}

function part(text: string | null, body: Buffer | string | undefined): string {
  if (text === null || body === undefined) return 'null';
  return `[${text.length},${typeof body === 'string' ? Buffer.byteLength(body) : body.length}]`;
}

/**
 * The parameters that the operation declares, decoded, as JSON text: an unknown one can be a key that was sent by mistake, and an
 * encoded address would not be found when a person is erased.
 */
function queryText(route: Route, search: string): string | null {
  const known: string[] = [];
  for (const [name, value] of new URLSearchParams(search))
    if (route.loggedParameters.has(name.split('[', 1)[0] as string)) known.push(`${name}=${value}`);
  const text = known.join('&').slice(0, queryMax);
  return text === '' ? null : JSON.stringify(text);
}

/** The error code of a response of a service. */
function errorCode(body: Buffer | string): string | undefined {
  return /"code":"([a-z0-9_]{1,64})"/.exec(body.toString().slice(0, 1_024))?.[1];
}
