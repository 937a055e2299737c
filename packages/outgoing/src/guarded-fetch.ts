import { outgoingGuard } from '@tandem/process';
import { Agent, fetch, ProxyAgent } from 'undici';
import { BlockedAddressError, type Target } from './guard.ts';

type Fetch = (url: string, options: object) => Promise<Response>;

const responseUsual = 1024 * 1024;
const idleMs = 4_000;

/**
 * Creates a `fetch` for libraries that take one. It checks literal and resolved addresses, follows no redirect, reads at
 * most 1 MiB, and ends after `timeoutMs`.
 * @param options.name of the called system, for the error when calls are not allowed
 * @param options.proxyUrl HTTP proxy for all calls. It resolves names, so it must block private addresses itself
 * @param options.responseMax maximum size of a response in bytes, if 1 MiB is wrong for the called system
 */
export function createGuardedFetch(options: {
  target: Target;
  name: string;
  timeoutMs: number;
  proxyUrl?: string | undefined;
  responseMax?: number;
}): {
  fetch: Fetch;
  close(): Promise<void>;
} {
  const { target, name, timeoutMs, proxyUrl, responseMax = responseUsual } = options;
  const limits = {
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: responseMax,
  };
  const dispatcher = proxyUrl
    ? new ProxyAgent({ ...limits, uri: proxyUrl, proxyTunnel: true, requestTls: { timeout: timeoutMs } })
    : new Agent({ ...limits, connect: { lookup: target.lookup, timeout: timeoutMs, allowH2: false } });
  return {
    async fetch(url, given) {
      outgoingGuard.assertMayCall(name);
      // An address literal does not use the lookup.
      const error = target.urlError(url, 'live');
      if (error) throw new BlockedAddressError(error);
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { ...given, redirect: 'manual', signal, dispatcher });
      return response as unknown as Response;
    },
    close: () => dispatcher.close(),
  };
}
