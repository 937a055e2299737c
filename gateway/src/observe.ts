import { endSpan, type Metrics, type SpanEnd, startSpan, traceparentOf } from '@tandem/process';
import type { Histogram } from 'prom-client';
import type { Exchange } from './exchange.ts';
import { ApiError } from './http/api-error.ts';
import { loggedPath } from './http/logged-path.ts';
import type { Route } from './routes.ts';
import type { LinkReply } from './upstream/link.ts';

/** How long services take to answer the gateway, by service and outcome. */
export type UpstreamSeconds = Histogram<'upstream' | 'outcome'>;

/** Outcomes are `answered`, `failed` for a 5xx of the service, and the code of the error when there was no answer. */
export function measureUpstreams(metrics: Metrics): UpstreamSeconds {
  return metrics.histogram(
    'upstream_duration_seconds',
    'Time until a service has answered the gateway, waiting included',
    ['upstream', 'outcome'],
  );
}

/**
 * Sends one request to a service, measured and in a span of its own.
 * @param headers of the request: `traceparent` becomes that of the span
 */
export async function observedCall(
  { trace }: Exchange,
  { service, row }: Route,
  { seconds, headers }: { seconds: UpstreamSeconds; headers: Record<string, string> },
  send: () => Promise<LinkReply>,
): Promise<LinkReply> {
  const began = performance.now();
  const attributes = { 'http.request.method': row.method, 'server.address': service };
  const span = startSpan(trace, { name: row.method, kind: 'client', attributes });
  const isRecorded = span !== trace;
  if (isRecorded) headers.traceparent = traceparentOf(span);
  const ended = (outcome: string, end: SpanEnd) => {
    seconds.observe({ upstream: service, outcome }, (performance.now() - began) / 1_000);
    if (isRecorded) endSpan(span, end);
  };
  try {
    const reply = await send();
    const hasFailed = reply.status >= 500;
    ended(hasFailed ? 'failed' : 'answered', {
      attributes: { 'http.response.status_code': reply.status },
      error: hasFailed ? String(reply.status) : undefined,
    });
    return reply;
  } catch (error) {
    ended(error instanceof ApiError ? error.code : 'internal_error', { error });
    throw error;
  }
}

/** What the span of a request says at its end. The path is that of the log: without secrets of links. */
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
