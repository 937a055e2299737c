import { BlockedAddressError } from '@tandem/outgoing';
import type { OutgoingCall } from '../features/api-logs/log-outgoing.ts';
import { readRetryAfter } from '../outgoing/retry-schedule.ts';
import type { OauthClient } from '../providers/oauth-client.ts';
import type { Call, CallAnswer, CallRequest, Secret } from './calling.ts';
import { CallError, type Connector } from './connector.ts';

type Fetch = (url: string, options: object) => Promise<Response>;

const userAgent = 'svc-connectors/1';

/**
 * Creates the calls of a connection: with its authentication, to the addresses of this deployment.
 * @param tools.fetch guarded, with time limits and limits of size
 * @param tools.stripeUrl replaces the origin of Stripe's addresses
 * @param calls gets each call and its outcome, without bodies
 */
export function callOf(
  connector: Connector,
  secret: Secret,
  tools: { fetch: Fetch; oauth: Pick<OauthClient, 'addressAt'>; stripeUrl: string | undefined },
  calls: OutgoingCall[] = [],
): Call {
  const send = async ({ url, method = 'GET', body, headers }: CallRequest): Promise<CallAnswer> => {
    const response = await tools
      .fetch(addressOf(connector, url, tools), {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
          ...headers,
          ...connector.headersOf(secret),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      .catch(asCallError);
    const { status } = response;
    // The body is read in any case, so that the connection can be used again.
    const text = await response.text().catch(asCallError);
    const answer = parsed(text);
    if (status === 401) throw new CallError('credentials_rejected', { status, body: answer });
    if (status === 429 || status >= 500)
      throw new CallError('provider_unavailable', {
        status,
        body: answer,
        retryAt: retryAtOf(response),
      });
    if (status < 200 || status >= 300) throw new CallError(`status_${status}`, { status, body: answer });
    return { status, body: answer };
  };
  return async (request) => {
    const logged = {
      method: request.method ?? 'GET',
      url: addressOf(connector, request.url, tools),
      startedAt: new Date(),
    };
    const startMs = performance.now();
    const log = (statusCode: number | null, error: string | null) => {
      const durationMs = Math.round(performance.now() - startMs);
      calls.push({ ...logged, durationMs, statusCode, error, requestBody: null, responseBody: null });
    };
    try {
      const answer = await send(request);
      log(answer.status, null);
      return answer;
    } catch (error) {
      log(
        error instanceof CallError ? error.status : null,
        error instanceof CallError ? error.failure : 'internal_error',
      );
      throw error;
    }
  };
}

function addressOf(
  { key, provider }: Connector,
  url: string,
  { oauth, stripeUrl }: { oauth: Pick<OauthClient, 'addressAt'>; stripeUrl: string | undefined },
): string {
  if (provider) return oauth.addressAt(provider, url);
  if (key !== 'stripe' || stripeUrl === undefined) return url;
  const { pathname, search } = new URL(url);
  return new URL(pathname + search, stripeUrl).href;
}

function asCallError(error: unknown): never {
  const isBlocked = error instanceof BlockedAddressError || (error as Error).cause instanceof BlockedAddressError;
  if (isBlocked) throw new CallError('blocked_address');
  throw new CallError('provider_unavailable', { isTooLarge: isTooLarge(error) });
}

/** Whether undici stopped reading a response, because it exceeds the limit of size. */
function isTooLarge(error: unknown): boolean {
  return ((error as Error).cause as { code?: string } | undefined)?.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** When a limited request can be repeated. Pipedrive sends the seconds until its limit is reset instead of Retry-After. */
function retryAtOf({ headers }: Response): Date | undefined {
  return readRetryAfter(headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
