import { endSpan } from '@tandem/process';
import type { Exchange } from './exchange.ts';
import { loggedPath } from './http/logged-path.ts';
import type { CallOf } from './limits/usage-parts.ts';
import { requestSpanEnd } from './observe.ts';
import type { GatewayParts } from './parts.ts';

/** Records usage (unless the response is 5xx), refused calls, metrics, the access log, and the API log. */
export function finish(
  exchange: Exchange,
  { startedAt, ms }: { startedAt: number; ms: number },
  parts: GatewayParts,
): void {
  const { response, route, allowance, auth, request, path, ip, requestId, trace, code } = exchange;
  const status = response.statusCode;
  if (allowance?.quota?.counts) {
    if (status >= 500) parts.limiter.giveBack(allowance);
    else parts.usage.count(allowance.quota.tenantId, allowance.quota.month, callOf(exchange));
  }
  parts.refusals.add(exchange);
  parts.metrics.request(route?.row.id ?? 'none', status, ms / 1_000);
  if (trace.span) endSpan(trace, requestSpanEnd(exchange, status));
  const who = auth?.who;
  const shownPath = loggedPath(path);
  parts.log.request({
    requestId,
    traceId: trace.traceId,
    operation: route?.row.id,
    method: request.method as string,
    path: shownPath,
    status,
    ms: Math.round(ms * 10) / 10,
    ip,
    tenantId: who?.tenantId,
    keyId: who?.keyId,
    userId: who?.userId ?? undefined,
    code,
  });
  parts.apiLog?.add(exchange, { arrivedAt: startedAt, durationMs: ms, path: shownPath });
}

/** The key, operation and user that a call with an API key is counted for. */
function callOf({ auth, actingId, route }: Exchange): CallOf {
  return {
    keyId: auth?.who.keyId ?? 0,
    operation: route?.name ?? '',
    userId: actingId ?? auth?.who.userId ?? 0,
  };
}
