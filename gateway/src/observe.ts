import { endSpan, type Metrics, type SpanEnd, startSpan, traceparentOf } from '@tandem/process';
import type { Exchange } from './exchange.ts';
import { GatewayError } from './http/gateway-error.ts';
import { loggedPath } from './http/logged-path.ts';
import type { UpstreamSeconds } from './parts.ts';
import type { Route } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';

/** Outcomes: `answered`, `failed` for a 5xx response, or the error code if there was no response. */
export function measureUpstreams(metrics: Metrics): UpstreamSeconds {
  return metrics.histogram(
    'upstream_duration_seconds',
    'Time until a service responded to the gateway, including waiting for a connection',
    ['upstream', 'outcome'],
  );
}

/**
 * Sends one request to a service, measured and in its own span.
 * @param headers the request headers; `traceparent` is set to the span
 */
export async function observedCall(
  { trace }: Exchange,
  { service, row }: Route,
  { seconds, headers }: { seconds: UpstreamSeconds; headers: Record<string, string> },
  send: () => Promise<LinkResponse>,
): Promise<LinkResponse> {
  const startedAt = performance.now();
  const attributes = { 'http.request.method': row.method, 'server.address': service };
  const span = startSpan(trace, { name: row.method, kind: 'client', attributes });
  const isRecorded = span !== trace;
  if (isRecorded) headers.traceparent = traceparentOf(span);
  const finish = (outcome: string, end: SpanEnd) => {
    seconds.observe({ upstream: service, outcome }, (performance.now() - startedAt) / 1_000);
    if (isRecorded) endSpan(span, end);
  };
  try {
    const response = await send();
    const hasFailed = response.status >= 500;
    finish(hasFailed ? 'failed' : 'answered', {
      attributes: { 'http.response.status_code': response.status },
      error: hasFailed ? String(response.status) : undefined,
    });
    return response;
  } catch (error) {
    finish(error instanceof GatewayError ? error.code : 'internal_error', { error });
    throw error;
  }
}

/** Name and attributes of a finished request span. The path is redacted as in the access log. */
export function requestSpanEnd({ request, path, route, auth }: Exchange, status: number): SpanEnd {
  const method = request.method as string;
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    'url.path': loggedPath(path),
    'url.scheme': 'http',
  };
  const error = status >= 500 ? String(status) : undefined;
  if (!route) return { attributes, error };
  return {
    name: `${method} ${route.row.path}`,
    attributes: {
      ...attributes,
      'http.route': route.row.path,
      'tandem.operation': route.row.id,
      'tandem.tenant_id': auth?.who.tenantId,
    },
    error,
  };
}
