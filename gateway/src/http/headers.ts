import type { IncomingMessage } from 'node:http';
import type { Verdict } from '../limits/allowance.ts';

/** RateLimit headers of the per-minute limit, as in the IETF draft; every response has them. */
export function rateHeaders(limit: number, remaining: number, resetIn: number): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetIn),
    'RateLimit-Policy': `"minute";q=${limit};w=60`,
  };
}

/** Adds the rate limit headers of a verdict; X-RateLimit-* and X-API-Usage-* only for API keys. */
export function limitHeaders(
  verdict: Verdict,
  withKey: boolean,
  usageLimit: number | null | undefined,
  headers: Record<string, string>,
): void {
  const { limit, remaining, reset, resetIn, usage, degraded } = verdict;
  Object.assign(headers, rateHeaders(limit, remaining, resetIn));
  if (degraded) headers['X-RateLimit-Degraded'] = '1';
  if (!withKey) return;
  headers['X-RateLimit-Limit'] = String(limit);
  headers['X-RateLimit-Remaining'] = String(remaining);
  headers['X-RateLimit-Reset'] = String(reset);
  if (usage !== undefined) headers['X-API-Usage-Current'] = String(usage);
  if (usageLimit != null) headers['X-API-Usage-Limit'] = String(usageLimit);
}

/** Response headers of a service that are passed on to the caller. */
export const passedOn = [
  'etag',
  'idempotent-replayed',
  'retry-after',
  'location',
  'deprecation',
  'sunset',
  'link',
] as const;

const names: Record<(typeof passedOn)[number], string> = {
  etag: 'ETag',
  'idempotent-replayed': 'Idempotent-Replayed',
  'retry-after': 'Retry-After',
  location: 'Location',
  deprecation: 'Deprecation',
  sunset: 'Sunset',
  link: 'Link',
};

/** Copies the headers in `passedOn` from a service's response. */
export function passOn(from: Record<string, string | string[] | undefined>, to: Record<string, string>): void {
  for (const name of passedOn) {
    const value = from[name];
    if (typeof value === 'string') to[names[name]] = value;
  }
}

/** Response headers that scripts of other origins may read. */
export const alwaysExposed = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Degraded',
  'X-API-Usage-Current',
  'X-API-Usage-Limit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'X-Acting-User',
  'Deprecation',
  'Sunset',
  'Link',
  'Content-Disposition',
];

const accepted =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, X-Environment, X-On-Behalf-Of, X-Request-Id, X-Tenant-Id, traceparent';

export interface Cors {
  /** Adds the headers that let a browser read the response. */
  add(request: IncomingMessage, headers: Record<string, string>): void;
  /** Lets every origin read the response, without cookies. */
  addAny(headers: Record<string, string>): void;
  /** The response headers of a preflight request. */
  preflight(request: IncomingMessage, methods: readonly string[]): Record<string, string>;
  /** Whether a page of this origin may write with cookies: our own origin, or a listed one. */
  mayUseCookies(request: IncomingMessage): boolean;
}

/**
 * Creates the CORS headers for the given origins. With `*`, browsers send no cookies of other origins; listed origins may
 * use them.
 * @param publicUrl the address of the gateway as clients see it
 * @param ownHeaders additional response headers of individual operations
 */
export function createCors(
  { origins, publicUrl }: { origins: string; publicUrl: string },
  ownHeaders: readonly string[],
): Cors {
  const { origin: ownOrigin } = new URL(publicUrl);
  const exposed = [...new Set([...alwaysExposed, ...ownHeaders])].join(', ');
  const listed = origins === '*' ? undefined : new Set(origins.split(',').map((origin) => origin.trim()));
  const allowed = (request: IncomingMessage): string | undefined => {
    const { origin } = request.headers;
    if (origin === undefined) return undefined;
    if (!listed) return '*';
    return listed.has(origin) ? origin : undefined;
  };
  const add: Cors['add'] = (request, headers) => {
    const origin = allowed(request);
    if (!origin) return;
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Expose-Headers'] = exposed;
    if (!listed) return;
    headers.Vary = 'Origin';
    headers['Access-Control-Allow-Credentials'] = 'true';
  };
  return {
    add,
    addAny(headers) {
      headers['Access-Control-Allow-Origin'] = '*';
      delete headers['Access-Control-Allow-Credentials'];
    },
    // The whole origin, because a page that was sent over http may have been replaced on its way. Not compared with Host,
    // which a proxy may replace.
    mayUseCookies: ({ headers: { origin } }) =>
      origin === undefined || origin === ownOrigin || listed?.has(origin) === true,
    preflight(request, methods) {
      const headers: Record<string, string> = { Allow: methods.join(', ') };
      add(request, headers);
      if (allowed(request) && request.headers['access-control-request-method']) {
        headers['Access-Control-Allow-Methods'] = methods.join(', ');
        headers['Access-Control-Allow-Headers'] = accepted;
        headers['Access-Control-Max-Age'] = '7200';
      }
      return headers;
    },
  };
}
